import { constants, createDecipheriv, privateDecrypt } from 'node:crypto';
import { guardXml, type Guarded } from './guard';
import { ENCRYPTION } from './names';
import { SamlFault } from './saml-types';
import { allElements, type XmlElement } from './xml';

const E11 = 'http://www.w3.org/2009/xmlenc11#';

interface Cipher {
  readonly name: string;
  /** Length of the key in bytes. */
  readonly key: number;
  readonly isGcm: boolean;
}

const CIPHERS: ReadonlyMap<string, Cipher> = new Map([
  [`${ENCRYPTION}aes128-cbc`, { name: 'aes-128-cbc', key: 16, isGcm: false }],
  [`${ENCRYPTION}aes192-cbc`, { name: 'aes-192-cbc', key: 24, isGcm: false }],
  [`${ENCRYPTION}aes256-cbc`, { name: 'aes-256-cbc', key: 32, isGcm: false }],
  [`${E11}aes128-gcm`, { name: 'aes-128-gcm', key: 16, isGcm: true }],
  [`${E11}aes192-gcm`, { name: 'aes-192-gcm', key: 24, isGcm: true }],
  [`${E11}aes256-gcm`, { name: 'aes-256-gcm', key: 32, isGcm: true }],
]);
const HASHES: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2000/09/xmldsig#sha1', 'sha1'],
  ['http://www.w3.org/2000/09/xmldsig#sha256', 'sha256'],
  [`${ENCRYPTION}sha256`, 'sha256'],
  [`${ENCRYPTION}sha512`, 'sha512'],
]);
const OAEP = [`${ENCRYPTION}rsa-oaep-mgf1p`, `${E11}rsa-oaep`];
const MASKS: Readonly<Record<string, string>> = {
  sha1: `${E11}mgf1sha1`,
  sha256: `${E11}mgf1sha256`,
  sha512: `${E11}mgf1sha512`,
};

/**
 * Decrypts an EncryptedAssertion and passes the result through the guard. Throws `SamlFault` of
 * check 14.
 */
export function decryptAssertion(encrypted: XmlElement, keys: readonly string[]): Guarded {
  if (keys.length === 0) throw bad('The connection has no key for encrypted assertions.');
  const data = only(encrypted, 'EncryptedData');
  const cipher = CIPHERS.get(methodOf(data).attributes.get('Algorithm') ?? '');
  if (cipher === undefined) throw bad('Content must be encrypted with AES, in GCM or CBC mode.');
  const wrapped = only(encrypted, 'EncryptedKey');
  const hash = oaepHash(methodOf(wrapped));
  const content = valueOf(data);
  for (const pem of keys) {
    const text = opened(content, cipher, unwrapped(valueOf(wrapped), pem, hash, cipher.key));
    if (text !== null) return guardInner(text);
  }
  // One message for all causes, so that it is no oracle about the content.
  throw bad('The assertion cannot be decrypted.');
}

function guardInner(text: string): Guarded {
  try {
    return guardXml(text);
  } catch (error) {
    if (error instanceof SamlFault && error.check === 'guard')
      throw bad('The assertion cannot be decrypted.');
    throw error;
  }
}

function oaepHash(method: XmlElement): string {
  const name = method.attributes.get('Algorithm') ?? '';
  if (!OAEP.includes(name)) throw bad('The key must be encrypted with RSA-OAEP.');
  const digest = method.children.find(({ local }) => local === 'DigestMethod');
  const hash = HASHES.get(digest?.attributes.get('Algorithm') ?? 'http://www.w3.org/2000/09/xmldsig#sha1');
  if (hash === undefined) throw bad('The digest of RSA-OAEP is not known.');
  const mask = method.children.find(({ local }) => local === 'MGF')?.attributes.get('Algorithm');
  // Node uses the hash of the digest for the mask, so both must be the same.
  if (name === `${E11}rsa-oaep` && (mask ?? MASKS['sha1']) !== MASKS[hash]) {
    throw bad('The mask of RSA-OAEP must use the hash of its digest.');
  }
  return hash;
}

function unwrapped(value: Buffer, key: string, oaepHash: string, length: number): Buffer | null {
  try {
    const found = privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, value);
    return found.length === length ? found : null;
  } catch {
    return null;
  }
}

function opened(content: Buffer, cipher: Cipher, key: Buffer | null): string | null {
  if (key === null) return null;
  try {
    const bytes = cipher.isGcm ? openedGcm(content, cipher.name, key) : openedCbc(content, cipher.name, key);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function openedGcm(content: Buffer, name: string, key: Buffer): Buffer {
  const decipher = createDecipheriv(name as 'aes-256-gcm', key, content.subarray(0, 12), {
    authTagLength: 16,
  });
  decipher.setAuthTag(content.subarray(-16));
  return Buffer.concat([decipher.update(content.subarray(12, -16)), decipher.final()]);
}

/** Decrypts CBC. XML encryption defines only the last byte of the padding. */
function openedCbc(content: Buffer, name: string, key: Buffer): Buffer {
  const decipher = createDecipheriv(name, key, content.subarray(0, 16)).setAutoPadding(false);
  const bytes = Buffer.concat([decipher.update(content.subarray(16)), decipher.final()]);
  const padding = bytes.at(-1) ?? 0;
  if (padding < 1 || padding > 16) throw new Error('padding');
  return bytes.subarray(0, -padding);
}

function only(root: XmlElement, local: string): XmlElement {
  const [found, more] = [...allElements(root)].filter(
    (element) => element.local === local && element.namespace === ENCRYPTION,
  );
  if (found === undefined || more !== undefined) throw bad(`There must be one ${local}.`);
  return found;
}

function childOf({ children }: XmlElement, local: string): XmlElement {
  const child = children.find((each) => each.local === local && each.namespace === ENCRYPTION);
  if (child === undefined) throw bad(`${local} is missing.`);
  return child;
}

const methodOf = (element: XmlElement): XmlElement => childOf(element, 'EncryptionMethod');

const valueOf = (element: XmlElement): Buffer =>
  Buffer.from(childOf(childOf(element, 'CipherData'), 'CipherValue').text.replace(/\s/g, ''), 'base64');

const bad = (message: string): SamlFault => new SamlFault(14, message);
