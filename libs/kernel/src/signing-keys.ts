import { isObject } from './is-object';
import { constants, createPublicKey, verify, type JsonWebKeyInput, type KeyObject } from 'node:crypto';

/** A public key that may verify signatures. */
export interface SigningKey {
  readonly id: string;
  readonly key: KeyObject;
  /** Algorithms that fit the key, or only the one that the key names. */
  readonly algorithms: readonly string[];
}

/** Supported algorithms; all are asymmetric. */
export const SIGNING_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'EdDSA',
] as const;

const RSA: readonly string[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const BY_CURVE: Readonly<Record<string, readonly string[]>> = {
  'EC P-256': ['ES256'],
  'EC P-384': ['ES384'],
  'OKP Ed25519': ['EdDSA'],
};
const RSA_BITS_MIN = 2_048;
const RSA_BITS_MAX = 8_192;
/**
 * Maximum public exponent; a larger one makes verification many times as expensive as with usual
 * keys.
 */
const RSA_EXPONENT_MAX = 0xffff_ffffn;
/** Maximum length of a key id; tokens cannot name a longer one. */
const KEY_ID_MAX = 256;

/**
 * Reads a key of a JSON Web Key Set. Returns null for a key that must not verify: symmetric, weak,
 * off its curve, for encryption, or without an id. Private parts are dropped. `use` is the required
 * use of the key; SPIFFE has its own values.
 */
export function readSigningKey(raw: unknown, use = 'sig'): SigningKey | null {
  if (!isObject(raw) || !mayVerify(raw, use)) return null;
  const { kid: id, alg } = raw;
  if (typeof id !== 'string' || id === '' || id.length > KEY_ID_MAX) return null;
  const fitting = algorithmsOf(raw);
  const algorithms = alg === undefined ? fitting : fitting.filter((each) => each === alg);
  const key = algorithms.length === 0 ? null : publicKey(raw);
  return key === null || !isStrong(key) ? null : { id, key, algorithms };
}

function mayVerify(
  { use: named, key_ops: operations }: Readonly<Record<string, unknown>>,
  use: string,
): boolean {
  if (Array.isArray(operations) && !operations.includes('verify')) return false;
  return isForUse(named, use);
}

const algorithmsOf = ({ kty, crv }: Readonly<Record<string, unknown>>): readonly string[] =>
  kty === 'RSA' ? RSA : (BY_CURVE[`${String(kty)} ${String(crv)}`] ?? []);

const isForUse = (named: unknown, use: string): boolean =>
  named === use || (named === undefined && use === 'sig');

function publicKey({ kty, crv, n, e, x, y }: Readonly<Record<string, unknown>>): KeyObject | null {
  try {
    return createPublicKey({ key: { kty, crv, n, e, x, y } as JsonWebKeyInput['key'], format: 'jwk' });
  } catch {
    // A point is not on its curve, or a member is missing.
    return null;
  }
}

function isStrong({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type !== 'rsa') return true;
  const { modulusLength = 0, publicExponent = 0n } = details ?? {};
  const isExponent = publicExponent > 1n && publicExponent <= RSA_EXPONENT_MAX;
  return modulusLength >= RSA_BITS_MIN && modulusLength <= RSA_BITS_MAX && isExponent;
}

/**
 * Returns whether a signature is valid. The key determines the possible algorithms, not only the
 * token's header.
 */
export function isSigned(
  { key, algorithms }: SigningKey,
  {
    algorithm,
    signed,
    signature,
  }: { readonly algorithm: string; readonly signed: Buffer; readonly signature: Buffer },
): boolean {
  if (!algorithms.includes(algorithm)) return false;
  const hash = algorithm === 'EdDSA' ? null : `sha${algorithm.slice(2)}`;
  switch (algorithm.slice(0, 2)) {
    case 'RS':
      return verify(hash, signed, { key, padding: constants.RSA_PKCS1_PADDING }, signature);
    case 'PS':
      return verify(
        hash,
        signed,
        { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
        signature,
      );
    case 'ES':
      return verify(hash, signed, { key, dsaEncoding: 'ieee-p1363' }, signature);
    default:
      return verify(hash, signed, key, signature);
  }
}
