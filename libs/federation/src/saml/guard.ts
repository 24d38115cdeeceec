import { ASSERTION, PROTOCOL, SIGNATURE } from './names';
import { SamlFault } from './saml-types';
import { allElements, readXml, XmlFault, type XmlElement } from './xml';

const BASE64_MAX = 262_144;
/** Maximum bytes of a message, after base64 decoding. */
export const MESSAGE_BYTES_MAX = (BASE64_MAX / 4) * 3;

/** A document that has passed the guard. */
export interface Guarded {
  readonly xml: string;
  readonly root: XmlElement;
}

/**
 * Decodes the base64 of a message and guards its XML, before any XML library parses it. Throws
 * `SamlFault` of the guard.
 */
export function guardBase64(base64: string): Guarded {
  if (base64.length > BASE64_MAX) throw new SamlFault('guard', 'The message is larger than 256 KB.');
  const compact = base64.replace(/[ \t\r\n]/g, '');
  if (compact === '' || compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) {
    throw new SamlFault('guard', 'The message is not base64.');
  }
  return guardXml(utf8(Buffer.from(compact, 'base64')));
}

/**
 * Checks a SAML document against the bounds that later steps rely on. Throws `SamlFault` of the
 * guard.
 */
export function guardXml(text: string): Guarded {
  // XML parsers normalise line ends to line feeds before the digest is computed.
  const xml = text.replace(/\r\n?/g, '\n');
  const root = rootOf(xml);
  const ids = new Set<string>();
  const counts = { responses: 0, assertions: 0, encrypted: 0, signatures: 0 };
  for (const element of allElements(root)) {
    addId(ids, element);
    if (element.local === 'Response') counts.responses += 1;
    if (element.local === 'Assertion') counts.assertions += 1;
    if (element.local === 'EncryptedAssertion') counts.encrypted += 1;
    if (element.local === 'Signature') counts.signatures += 1;
    refuseComments(element);
  }
  if (counts.responses > 1) throw new SamlFault('guard', 'There is more than one Response.');
  if (counts.signatures > 2) throw new SamlFault('guard', 'There are more than two signatures.');
  if (counts.assertions + counts.encrypted > 1) {
    throw new SamlFault(counts.encrypted > 0 ? 14 : 'guard', 'There is more than one assertion.');
  }
  return { xml, root };
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SamlFault('guard', 'The message is not UTF-8.');
  }
}

function rootOf(xml: string): XmlElement {
  try {
    return readXml(xml);
  } catch (error) {
    if (error instanceof XmlFault) throw new SamlFault('guard', error.message);
    throw error;
  }
}

function addId(ids: Set<string>, { attributes }: XmlElement): void {
  for (const [name, id] of attributes) {
    if (!/^(?:[^:]+:)?id$/i.test(name)) continue;
    if (ids.has(id)) throw new SamlFault('guard', 'An ID is there twice.');
    ids.add(id);
  }
}

/**
 * Refuses comments in signatures and texts: the canonical form drops them, so parsers could read
 * different texts.
 */
function refuseComments(element: XmlElement): void {
  if (element.namespace === SIGNATURE && element.hasComment) {
    throw new SamlFault(5, 'A signature has a comment inside.');
  }
  if (element.local === 'NameID' && element.namespace === ASSERTION && element.hasComment) {
    throw new SamlFault(11, 'The NameID has a comment inside.');
  }
}

/**
 * Returns the unverified issuer and request of a response, for finding the connection and the flow
 * only.
 */
export function claimedBy({ root }: Guarded): {
  readonly issuer: string | null;
  readonly requestId: string | null;
} {
  if (root.local !== 'Response' || root.namespace !== PROTOCOL) {
    throw new SamlFault(1, 'The document is not a response.');
  }
  const assertion = root.children.find(({ local }) => local === 'Assertion');
  const issuer = [root, assertion]
    .flatMap((element) => element?.children ?? [])
    .find(({ local }) => local === 'Issuer');
  return {
    issuer: issuer?.text.trim() ?? null,
    requestId: root.attributes.get('InResponseTo') ?? null,
  };
}
