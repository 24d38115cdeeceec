import { inflateRawSync } from 'node:zlib';
import type { ProvidedLogout } from '../logout-token';
import { checkCharacters, isOver, SKEW_MS, SUBJECT_MAX, timeOf } from './checks';
import { guardBase64, guardXml, MESSAGE_BYTES_MAX, type Guarded } from './guard';
import { ASSERTION, PROTOCOL } from './names';
import { SamlFault, type SamlConnection } from './saml-types';
import { assertSignedText, keysOf, signedElement } from './signed-bytes';
import { childrenOf, type XmlElement } from './xml';

const AGE_MAX_MS = 300_000;
const SESSIONS_MAX = 100;
const DEFLATE = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE';
const PARAMETERS = ['SAMLRequest', 'RelayState', 'SigAlg', 'Signature', 'SAMLEncoding'];

/** A received LogoutRequest: the raw query of a redirect, or the base64 of a form. */
export type ReceivedLogout = { readonly query: string } | { readonly base64: string };

/** The part of a connection that reading a logout request uses. */
export type LogoutConnection = Pick<
  SamlConnection,
  'idpEntityId' | 'certificates' | 'enforceCertificateDates'
>;

/**
 * Returns the unverified issuer of a request, for finding the connection only. Throws `SamlFault`.
 */
export function logoutIssuer(received: ReceivedLogout): string | null {
  const { root } = 'query' in received ? redirectedIn(received.query).guarded : guardBase64(received.base64);
  return childrenOf(root, ASSERTION, 'Issuer')[0]?.text.trim() ?? null;
}

/**
 * Reads a LogoutRequest from its signed bytes. `sloUrl`: our logout URL. Throws `SamlFault` with
 * the failed check.
 */
export function readLogoutRequest(
  received: ReceivedLogout,
  connection: LogoutConnection,
  { sloUrl, now }: { readonly sloUrl: string; readonly now: Date },
): ProvidedLogout & { readonly subject: string } {
  const root = signedRoot(received, connection, now);
  const { attributes } = root;
  if (root.local !== 'LogoutRequest' || root.namespace !== PROTOCOL || attributes.get('Version') !== '2.0') {
    throw new SamlFault(1, 'The document must be a LogoutRequest of version 2.0.');
  }
  if (attributes.get('Destination') !== sloUrl) throw new SamlFault(3, `Destination must be ${sloUrl}.`);
  if (only(root, 'Issuer', 4) !== connection.idpEntityId) {
    throw new SamlFault(4, `Issuer must be ${connection.idpEntityId}.`);
  }
  const usableUntil = usableUntilOf(attributes, now);
  const subject = only(root, 'NameID', 11).normalize('NFC');
  if (subject === '' || subject.length > SUBJECT_MAX) {
    throw new SamlFault(11, `NameID must be a text of 1 to ${String(SUBJECT_MAX)} characters.`);
  }
  const sessions = childrenOf(root, PROTOCOL, 'SessionIndex').map(({ text }) => text.slice(0, SUBJECT_MAX));
  if (sessions.length > SESSIONS_MAX) {
    throw new SamlFault(10, `There are more than ${String(SESSIONS_MAX)} session indexes.`);
  }
  checkCharacters(root);
  return { id: attributes.get('ID') ?? '', usableUntil, subject, sessions };
}

/**
 * Returns until when a request is valid: five minutes after its issue, or its own end if that is
 * earlier. Throws `SamlFault`.
 */
function usableUntilOf(attributes: ReadonlyMap<string, string>, now: Date): Date {
  const issued = timeOf(attributes.get('IssueInstant'));
  const age = issued === null ? Number.POSITIVE_INFINITY : now.getTime() - issued.getTime();
  if (age > AGE_MAX_MS || age < -SKEW_MS) {
    throw new SamlFault(6, 'A LogoutRequest must be at most five minutes old.');
  }
  const end = attributes.get('NotOnOrAfter');
  const endsAt = timeOf(end);
  if (end !== undefined && (endsAt === null || isOver(endsAt, now))) {
    throw new SamlFault(6, 'The LogoutRequest has expired.');
  }
  return new Date(now.getTime() + AGE_MAX_MS + 2 * SKEW_MS);
}

function signedRoot(
  received: ReceivedLogout,
  { certificates, enforceCertificateDates }: LogoutConnection,
  now: Date,
): XmlElement {
  const keys = keysOf({ certificates, enforceCertificateDates }, now);
  if (!('query' in received)) {
    const guarded = guardBase64(received.base64);
    return signedElement(guarded, guarded.root, keys);
  }
  const { guarded, signed, algorithm, signature } = redirectedIn(received.query);
  assertSignedText(signed, { algorithm, signature }, keys);
  return guarded.root;
}

interface Redirected {
  readonly guarded: Guarded;
  /** The signed part of the query, as received. */
  readonly signed: string;
  readonly algorithm: string;
  readonly signature: Buffer;
}

/**
 * Reads a message of the redirect binding. The signature covers the query as received, because
 * senders escape differently.
 */
function redirectedIn(query: string): Redirected {
  const raw = new Map<string, string>();
  for (const pair of query.split('&')) {
    const [name = ''] = pair.split('=', 1);
    if (!PARAMETERS.includes(name)) continue;
    if (raw.has(name)) throw new SamlFault('guard', `${name} is there twice.`);
    raw.set(name, pair.slice(name.length + 1));
  }
  if ((decoded(raw.get('SAMLEncoding')) || DEFLATE) !== DEFLATE) {
    throw new SamlFault('guard', 'SAMLEncoding must be DEFLATE.');
  }
  const signed = ['SAMLRequest', 'RelayState', 'SigAlg']
    .flatMap((name) => (raw.has(name) ? `${name}=${raw.get(name) ?? ''}` : []))
    .join('&');
  return {
    guarded: guardXml(inflated(Buffer.from(decoded(raw.get('SAMLRequest')), 'base64'))),
    signed,
    algorithm: decoded(raw.get('SigAlg')),
    signature: Buffer.from(decoded(raw.get('Signature')), 'base64'),
  };
}

function decoded(raw = ''): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new SamlFault('guard', 'The query is not escaped as a query is.');
  }
}

function inflated(bytes: Buffer): string {
  try {
    const text = inflateRawSync(bytes, { maxOutputLength: MESSAGE_BYTES_MAX });
    return new TextDecoder('utf-8', { fatal: true }).decode(text);
  } catch {
    throw new SamlFault('guard', 'SAMLRequest must be deflated UTF-8 of at most 192 KB.');
  }
}

/** Returns the text of the only child with that name. Throws `SamlFault` of the check. */
function only(root: XmlElement, local: string, check: 4 | 11): string {
  const [child, more] = childrenOf(root, ASSERTION, local);
  if (child === undefined || more !== undefined || child.children.length > 0) {
    throw new SamlFault(check, `There must be one ${local}, and it must be a text.`);
  }
  return child.text.trim();
}
