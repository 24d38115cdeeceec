import { ASSERTION, EMAIL_FORMAT, PERSISTENT_FORMAT, PROTOCOL, UNSPECIFIED_FORMAT } from './names';
import { SamlFault, type SamlConnection, type SamlExpectation } from './saml-types';
import { allElements, childrenOf, type XmlElement } from './xml';

export const SKEW_MS = 60_000;
const DAY_MS = 86_400_000;
const IDP_INITIATED_MS = 300_000;
export const SUBJECT_MAX = 256;
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/;

/** A response and its assertion, read from the signed bytes, with the inputs of the checks. */
export interface Parts {
  readonly response: XmlElement;
  readonly isResponseSigned: boolean;
  readonly assertion: XmlElement;
  readonly connection: SamlConnection;
  readonly expected: SamlExpectation;
}

/** Check 1: the document is a SAML 2.0 response, and the assertion, if any, has version 2.0. */
export function checkForm(response: XmlElement, assertion: XmlElement | null): void {
  const isResponse = response.local === 'Response' && response.namespace === PROTOCOL;
  if (!isResponse) throw new SamlFault(1, 'The document is not a response.');
  if (response.attributes.get('Version') !== '2.0')
    throw new SamlFault(1, 'The response must have version 2.0.');
  if (assertion === null) return;
  const isAssertion = assertion.local === 'Assertion' && assertion.namespace === ASSERTION;
  if (!isAssertion || assertion.attributes.get('Version') !== '2.0') {
    throw new SamlFault(1, 'The assertion must have version 2.0.');
  }
}

/** Check 2: the identity provider reports that the login succeeded. */
export function checkStatus(response: XmlElement): void {
  const [status] = childrenOf(response, PROTOCOL, 'Status');
  const [code, more] = status === undefined ? [] : childrenOf(status, PROTOCOL, 'StatusCode');
  const value = code?.attributes.get('Value') ?? 'none';
  if (value === SUCCESS && more === undefined) return;
  const second = code?.children.find(({ local }) => local === 'StatusCode')?.attributes.get('Value');
  const shown = [value, second].filter((each) => each !== undefined).map((each) => each.slice(-60));
  throw new SamlFault(2, `The identity provider refused: ${shown.join(', ')}.`);
}

/** Check 3: the destination of the response is our URL. */
export function checkDestination({ response, isResponseSigned, connection, expected }: Parts): void {
  const destination = response.attributes.get('Destination');
  if (destination === undefined && !isResponseSigned && connection.lenientDestination) return;
  if (destination !== expected.acsUrl) {
    throw new SamlFault(3, `Destination must be ${expected.acsUrl}.`);
  }
}

/** Check 4: the issuer is the connection's identity provider. */
export function checkIssuer({ response, assertion, connection }: Parts): void {
  const said = childrenOf(response, ASSERTION, 'Issuer');
  const [own, more] = childrenOf(assertion, ASSERTION, 'Issuer');
  const isOurs = (issuer: XmlElement): boolean => issuer.text.trim() === connection.idpEntityId;
  if (own === undefined || more !== undefined || said.length > 1 || ![own, ...said].every(isOurs)) {
    throw new SamlFault(4, `Issuer must be ${connection.idpEntityId}.`);
  }
}

/** Check 6: a bearer confirmation allows the use of the assertion at our URL and at this time. */
export function checkConfirmation(parts: Parts): { readonly notOnOrAfter: Date } {
  const confirmations = childrenOf(subjectOf(parts.assertion), ASSERTION, 'SubjectConfirmation');
  const faults: string[] = [];
  for (const confirmation of confirmations) {
    const verdict = confirmationFault(confirmation, parts);
    if (verdict instanceof Date) return { notOnOrAfter: verdict };
    faults.push(verdict);
  }
  throw new SamlFault(6, faults[0] ?? 'There is no SubjectConfirmation.');
}

function confirmationFault(confirmation: XmlElement, { expected }: Parts): Date | string {
  if (confirmation.attributes.get('Method') !== BEARER)
    return 'The confirmation must be of the method bearer.';
  const [data, more] = childrenOf(confirmation, ASSERTION, 'SubjectConfirmationData');
  if (data === undefined || more !== undefined)
    return 'A bearer confirmation must have one SubjectConfirmationData.';
  const { attributes } = data;
  if (attributes.get('Recipient') !== expected.acsUrl) return `Recipient must be ${expected.acsUrl}.`;
  if (attributes.has('NotBefore')) return 'A bearer confirmation may have no NotBefore.';
  const end = timeOf(attributes.get('NotOnOrAfter'));
  if (end === null || isOver(end, expected.now)) return 'The confirmation has expired, or has no end.';
  if (end.getTime() > expected.now.getTime() + DAY_MS)
    return 'The confirmation is valid for more than a day.';
  const request = attributes.get('InResponseTo');
  if (request !== (expected.requestId ?? undefined)) return 'The confirmation is for another request.';
  return end;
}

/** Check 7: the conditions of the assertion hold, among them that we are its audience. */
export function checkConditions({ assertion, expected }: Parts): { readonly notOnOrAfter: Date | null } {
  const [conditions, more] = childrenOf(assertion, ASSERTION, 'Conditions');
  if (conditions === undefined || more !== undefined) throw new SamlFault(7, 'There must be one Conditions.');
  const [from, until] = ['NotBefore', 'NotOnOrAfter'].map((name) => conditionTime(conditions, name));
  if (from != null && from.getTime() > expected.now.getTime() + SKEW_MS) {
    throw new SamlFault(7, 'The assertion is not valid yet.');
  }
  if (until != null && isOver(until, expected.now)) throw new SamlFault(7, 'The assertion has expired.');
  const restrictions = childrenOf(conditions, ASSERTION, 'AudienceRestriction');
  const isForUs = (restriction: XmlElement): boolean =>
    childrenOf(restriction, ASSERTION, 'Audience').some(({ text }) => text.trim() === expected.entityId);
  if (restrictions.length === 0 || !restrictions.every(isForUs)) {
    throw new SamlFault(7, `Every AudienceRestriction must have the audience ${expected.entityId}.`);
  }
  return { notOnOrAfter: until ?? null };
}

function conditionTime({ attributes }: XmlElement, name: string): Date | null {
  const text = attributes.get(name);
  const time = timeOf(text);
  if (text !== undefined && time === null) throw new SamlFault(7, `${name} is not a time.`);
  return time;
}

/** Check 9: the response answers our request, or the connection allows logins without a request. */
export function checkRequest({ response, assertion, connection, expected }: Parts): void {
  const answered = response.attributes.get('InResponseTo');
  if (expected.requestId !== null) {
    if (answered === expected.requestId) return;
    throw new SamlFault(9, 'The response answers another request.');
  }
  if (answered !== undefined) throw new SamlFault(9, 'The response answers a request that is not known.');
  if (!connection.allowIdpInitiated)
    throw new SamlFault(9, 'The connection takes only answers to our requests.');
  const issued = timeOf(assertion.attributes.get('IssueInstant'));
  const age = issued === null ? Number.POSITIVE_INFINITY : expected.now.getTime() - issued.getTime();
  if (age > IDP_INITIATED_MS || age < -SKEW_MS) {
    throw new SamlFault(9, 'A response without a request must be at most five minutes old.');
  }
}

/** Check 10: the user authenticated recently enough. Returns the provider's session and its end. */
export function checkAuthentication({ assertion, connection, expected }: Parts): {
  readonly sessionIndex: string | null;
  readonly endsAt: Date | null;
} {
  const statements = childrenOf(assertion, ASSERTION, 'AuthnStatement');
  if (statements.length === 0) throw new SamlFault(10, 'There is no AuthnStatement.');
  const ends = statements.flatMap(({ attributes }) => {
    const text = attributes.get('SessionNotOnOrAfter');
    if (text === undefined) return [];
    const end = timeOf(text);
    if (end === null || isOver(end, expected.now))
      throw new SamlFault(10, 'The session at the provider is over.');
    return [end];
  });
  for (const { attributes } of statements) assertRecent(attributes, connection.maxAge, expected.now);
  const index = statements[0]?.attributes.get('SessionIndex');
  return {
    sessionIndex: index === undefined ? null : index.slice(0, SUBJECT_MAX),
    endsAt: ends.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null,
  };
}

function assertRecent(attributes: ReadonlyMap<string, string>, maxAge: number | null, now: Date): void {
  const instant = timeOf(attributes.get('AuthnInstant'));
  if (instant === null) throw new SamlFault(10, 'AuthnInstant is missing.');
  if (instant.getTime() > now.getTime() + SKEW_MS) throw new SamlFault(10, 'AuthnInstant is in the future.');
  if (maxAge !== null && now.getTime() - instant.getTime() > maxAge * 1_000 + SKEW_MS) {
    throw new SamlFault(10, 'The user authenticated too long ago.');
  }
}

/** Check 11: there is one valid NameID. Returns it. */
export function checkNameId({ assertion, connection }: Parts): {
  readonly value: string;
  readonly format: string;
} {
  const [name, more] = childrenOf(subjectOf(assertion), ASSERTION, 'NameID');
  if (name === undefined || more !== undefined) throw new SamlFault(11, 'There must be one NameID.');
  const value = name.text.trim();
  if (value === '' || value.length > SUBJECT_MAX || name.children.length > 0) {
    throw new SamlFault(11, `NameID must be a text of 1 to ${String(SUBJECT_MAX)} characters.`);
  }
  const format = name.attributes.get('Format') ?? UNSPECIFIED_FORMAT;
  const allowed =
    connection.nameIdFormat === null
      ? [EMAIL_FORMAT, PERSISTENT_FORMAT, UNSPECIFIED_FORMAT]
      : [connection.nameIdFormat];
  if (!allowed.includes(format))
    throw new SamlFault(11, `NameID must have a format of ${allowed.join(', ')}.`);
  return { value: value.normalize('NFC'), format };
}

/** Check 12: attribute values are texts. Returns them by attribute name. */
export function checkAttributes({ assertion }: Parts): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const statement of childrenOf(assertion, ASSERTION, 'AttributeStatement')) {
    for (const attribute of childrenOf(statement, ASSERTION, 'Attribute')) {
      const name = attribute.attributes.get('Name') ?? '';
      const texts = childrenOf(attribute, ASSERTION, 'AttributeValue').map((value) => {
        if (value.children.length > 0) throw new SamlFault(12, 'Values of attributes must be texts.');
        return value.text.trim().normalize('NFC');
      });
      values.set(name, [...(values.get(name) ?? []), ...texts]);
    }
  }
  return values;
}

/** Check 16: there are no control characters, at which some parsers would end a text. */
export function checkCharacters(...roots: readonly XmlElement[]): void {
  for (const root of roots) {
    for (const { text, attributes } of allElements(root)) {
      if ([text, ...attributes.values()].some((each) => CONTROL.test(each))) {
        throw new SamlFault(16, 'The response has control characters.');
      }
    }
  }
}

function subjectOf(assertion: XmlElement): XmlElement {
  const [subject, more] = childrenOf(assertion, ASSERTION, 'Subject');
  if (subject === undefined || more !== undefined) throw new SamlFault(6, 'There must be one Subject.');
  return subject;
}

export const isOver = (end: Date, now: Date): boolean => now.getTime() >= end.getTime() + SKEW_MS;

/** Parses a SAML time, which is always in UTC; null for an invalid text. */
export function timeOf(text: string | undefined): Date | null {
  if (text === undefined || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]00:00)$/.test(text))
    return null;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? null : time;
}
