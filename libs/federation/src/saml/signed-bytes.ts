import { createHash, verify, X509Certificate, type KeyObject } from 'node:crypto';
import { guardXml, type Guarded } from './guard';
import { ENVELOPED, EXCLUSIVE, SIGNATURE } from './names';
import { SamlFault, type SamlConnection } from './saml-types';
import { childrenOf, type XmlElement } from './xml';
import { DOMParser, SignedXml, type DomNode } from './xml-library';

type Tables = InstanceType<typeof SignedXml>;

const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';

/** Key type and hash of a signature. */
interface SignatureMethod {
  readonly type: 'rsa' | 'ec';
  readonly hash: string;
}

const METHODS: ReadonlyMap<string, SignatureMethod> = new Map<string, SignatureMethod>([
  [`${MORE}rsa-sha256`, { type: 'rsa', hash: 'sha256' }],
  [`${MORE}rsa-sha384`, { type: 'rsa', hash: 'sha384' }],
  [`${MORE}rsa-sha512`, { type: 'rsa', hash: 'sha512' }],
  [`${MORE}ecdsa-sha256`, { type: 'ec', hash: 'sha256' }],
  [`${MORE}ecdsa-sha384`, { type: 'ec', hash: 'sha384' }],
  [`${MORE}ecdsa-sha512`, { type: 'ec', hash: 'sha512' }],
]);
const DIGESTS: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2001/04/xmlenc#sha256', 'sha256'],
  [`${MORE}sha384`, 'sha384'],
  ['http://www.w3.org/2001/04/xmlenc#sha512', 'sha512'],
]);

const WEAK = 'The signature must be RSA or ECDSA with SHA-256 or stronger.';
const FOREIGN = 'The signature was made by no key of the connection, or the content was changed.';

/** Returns the keys whose signatures a connection accepts at a time. */
export const keysOf = (
  { certificates, enforceCertificateDates }: Pick<SamlConnection, 'certificates' | 'enforceCertificateDates'>,
  now: Date,
): readonly KeyObject[] =>
  certificates
    .map((pem) => new X509Certificate(pem))
    .filter((each) => !enforceCertificateDates || (each.validFromDate <= now && now < each.validToDate))
    .map(({ publicKey }) => publicKey);

/** Whether the element has its own signature, valid or not. */
export const isSigned = (element: XmlElement): boolean =>
  childrenOf(element, SIGNATURE, 'Signature').length > 0;

/**
 * Returns the element, parsed again from the bytes that its own signature covers. Throws
 * `SamlFault` of check 5.
 */
export function signedElement(guarded: Guarded, element: XmlElement, keys: readonly KeyObject[]): XmlElement {
  const { root } = guardXml(signedBytes(guarded, element, keys));
  const isSame = root.local === element.local && root.attributes.get('ID') === element.attributes.get('ID');
  if (!isSame) throw bad('The signature covers another element.');
  return root;
}

/**
 * Verifies a detached signature of a text with the keys. Throws `SamlFault` of check 5 when no key
 * matches.
 */
export function assertSignedText(
  text: string,
  { algorithm: name, signature }: { readonly algorithm: string; readonly signature: Buffer },
  keys: readonly KeyObject[],
): void {
  if (signature.length === 0) throw bad('The message is not signed.');
  const method = METHODS.get(name);
  if (method === undefined) throw bad(WEAK);
  const fitting = keys.filter(({ asymmetricKeyType }) => asymmetricKeyType === method.type);
  const isMade = fitting.some((key) => isSignature(method.hash, { key, text, signature }));
  if (!isMade) throw bad(FOREIGN);
}

/**
 * Verifies an element's own signature with the keys and returns the canonical bytes that it covers.
 * The caller must read only these. Throws `SamlFault` of check 5.
 */
function signedBytes({ xml }: Guarded, element: XmlElement, keys: readonly KeyObject[]): string {
  const id = element.attributes.get('ID') ?? '';
  const method = assertForm(element, id);
  const node = signatureNode(xml, id);
  const fitting = keys.filter((key) => key.asymmetricKeyType === method.type);
  for (const key of fitting) {
    const bytes = verified(xml, node, key);
    if (bytes !== null) return bytes;
  }
  throw bad(FOREIGN);
}

/**
 * Checks that a signature has the form that SAML requires: one reference, to its parent, and listed
 * algorithms only. Throws `SamlFault`.
 */
function assertForm(element: XmlElement, id: string): SignatureMethod {
  if (!/^[A-Za-z_][A-Za-z0-9_.:-]{0,255}$/.test(id)) throw bad('The signed element has no usable ID.');
  const [signature, more] = childrenOf(element, SIGNATURE, 'Signature');
  if (signature === undefined || more !== undefined) throw bad('The element must have one signature.');
  if (childrenOf(signature, SIGNATURE, 'Object').length > 0) throw bad('A signature may have no Object.');
  const info = only(signature, 'SignedInfo');
  if (algorithm(only(info, 'CanonicalizationMethod')) !== EXCLUSIVE) {
    throw bad('The canonical form must be exc-c14n without comments.');
  }
  const reference = only(info, 'Reference');
  if (reference.attributes.get('URI') !== `#${id}`) throw bad('The reference must name the signed element.');
  const transforms = childrenOf(only(reference, 'Transforms'), SIGNATURE, 'Transform').map(algorithm);
  if (transforms.join(' ') !== `${ENVELOPED} ${EXCLUSIVE}`) {
    throw bad('The transforms must be enveloped-signature and exc-c14n.');
  }
  if (!DIGESTS.has(algorithm(only(reference, 'DigestMethod')))) {
    throw bad('The digest must be SHA-256 or stronger.');
  }
  const method = METHODS.get(algorithm(only(info, 'SignatureMethod')));
  if (method === undefined) throw bad(WEAK);
  return method;
}

function only(parent: XmlElement, local: string): XmlElement {
  const [child, more] = childrenOf(parent, SIGNATURE, local);
  if (child === undefined || more !== undefined) throw bad(`A signature must have one ${local}.`);
  return child;
}

const algorithm = ({ attributes }: XmlElement): string => attributes.get('Algorithm') ?? '';

function signatureNode(xml: string, id: string): DomNode {
  const stop = (message: string): never => {
    throw bad(`The XML is not well formed: ${message.slice(0, 200)}`);
  };
  const parser = new DOMParser({ errorHandler: { warning: stop, error: stop, fatalError: stop } });
  const document = parser.parseFromString(xml, 'text/xml');
  const nodes = Array.from(document.getElementsByTagNameNS(SIGNATURE, 'Signature'));
  const [node, more] = nodes.filter(({ parentNode }) => parentNode?.getAttribute('ID') === id);
  if (node === undefined || more !== undefined) throw bad('The element must have one signature.');
  return node;
}

function verified(xml: string, node: DomNode, key: KeyObject): string | null {
  const signature = new SignedXml({
    publicCert: key.export({ type: 'spki', format: 'pem' }).toString(),
    // Never use a key from the message.
    getCertFromKeyInfo: () => null,
  });
  const { [ENVELOPED]: enveloped, [EXCLUSIVE]: exclusive } = signature.CanonicalizationAlgorithms;
  if (enveloped === undefined || exclusive === undefined) throw bad('The library has no exc-c14n.');
  signature.CanonicalizationAlgorithms = { [EXCLUSIVE]: exclusive, [ENVELOPED]: enveloped };
  signature.HashAlgorithms = mapped(DIGESTS, hashOf);
  signature.SignatureAlgorithms = mapped(METHODS, ({ hash }, name) => algorithmOf(hash, key, name));
  try {
    signature.loadSignature(node);
    if (!signature.checkSignature(xml)) return null;
  } catch {
    return null;
  }
  const [bytes, more] = signature.getSignedReferences();
  return bytes === undefined || more !== undefined ? null : bytes;
}

const mapped = <T, R>(table: ReadonlyMap<string, T>, make: (each: T, name: string) => R): Record<string, R> =>
  Object.fromEntries(Array.from(table, ([name, each]) => [name, make(each, name)]));

function hashOf(hash: string, name: string): Tables['HashAlgorithms'][string] {
  return class {
    getAlgorithmName(): string {
      return name;
    }
    getHash(xml: string): string {
      return createHash(hash).update(xml, 'utf8').digest('base64');
    }
  };
}

function algorithmOf(hash: string, key: KeyObject, name: string): Tables['SignatureAlgorithms'][string] {
  return class {
    getAlgorithmName(): string {
      return name;
    }
    getSignature(): never {
      throw new Error('Only for verification.');
    }
    verifySignature(material: unknown, _key: unknown, value: unknown): boolean {
      const signature = Buffer.from(String(value).replace(/\s/g, ''), 'base64');
      return isSignature(hash, { key, text: String(material), signature });
    }
  };
}

const bad = (message: string): SamlFault => new SamlFault(5, message);

const isSignature = (
  hash: string,
  { key, text, signature }: { readonly key: KeyObject; readonly text: string; readonly signature: Buffer },
): boolean => verify(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature);
