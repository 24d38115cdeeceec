import { constants, createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { randomHex } from './ids';
import { VendorError } from './vendor-calls';

/** A private key with which Tollgate authenticates as a client of an authorization server. */
export interface ClientKey {
  readonly key: KeyObject;
  /** The `kid` of a JSON Web Key; null without one. */
  readonly id: string | null;
  /** Algorithms that fit the key; the default is first. */
  readonly algorithms: readonly string[];
}

const RSA: readonly string[] = ['RS256', 'PS256', 'RS384', 'PS384', 'RS512', 'PS512'];
const BY_CURVE: Readonly<Record<string, readonly string[]>> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
};
const RSA_BITS_MIN = 2_048;
/** Signing with a longer key would block the event loop for too long. */
const RSA_BITS_MAX = 4_096;
const TEXT_MAX = 8_192;
const KEY_ID_MAX = 256;

/** Rule for the text of a key, as the end of a sentence. */
export const CLIENT_KEY_RULE =
  'must be a private key without a passphrase, as PEM or JSON Web Key: RSA of 2048 to 4096 bits, EC P-256 or P-384, or Ed25519';

/** Algorithms of client assertions. All are asymmetric. */
export const CLIENT_KEY_ALGORITHMS: readonly string[] = [...RSA, 'ES256', 'ES384', 'EdDSA'];

/** Reads a private key; null for a text that breaks `CLIENT_KEY_RULE`. */
export function readClientKey(text: string): ClientKey | null {
  if (text.length > TEXT_MAX) return null;
  try {
    const jwk = text.trimStart().startsWith('{')
      ? (JSON.parse(text) as Readonly<Record<string, unknown>>)
      : null;
    const key = createPrivateKey(jwk === null ? text : { key: jwk, format: 'jwk' });
    const algorithms = algorithmsOf(key);
    return algorithms.length === 0 ? null : { key, id: keyId(jwk), algorithms };
  } catch {
    // The text is no key, a public key, or a key with a passphrase.
    return null;
  }
}

function algorithmsOf({
  asymmetricKeyType: type,
  asymmetricKeyDetails: details,
}: KeyObject): readonly string[] {
  if (type === 'ed25519') return ['EdDSA'];
  if (type === 'ec') return BY_CURVE[details?.namedCurve ?? ''] ?? [];
  const bits = details?.modulusLength ?? 0;
  return type === 'rsa' && bits >= RSA_BITS_MIN && bits <= RSA_BITS_MAX ? RSA : [];
}

function keyId(jwk: Readonly<Record<string, unknown>> | null): string | null {
  const id = jwk?.['kid'];
  return typeof id === 'string' && id !== '' && id.length <= KEY_ID_MAX ? id : null;
}

/** The use of a key for assertions to one authorization server. */
export interface ClientKeyUse {
  readonly clientId: string;
  /** Issuer of the authorization server; the audience of the assertion. */
  readonly issuer: string;
  /** Key id for the header of the assertion; null for the id of the key itself. */
  readonly keyId: string | null;
  /** Algorithm that the administrator chose; null for the default. */
  readonly algorithm: string | null;
  /** Algorithms that the server's metadata lists; empty if it lists none. */
  readonly announced: readonly string[];
  /** Unix milliseconds. */
  readonly now: number;
}

/** Lifetime of an assertion in seconds. */
const ASSERTION_SECONDS = 60;
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Returns the form members with which a client authenticates by its key (RFC 7523, section 2.2).
 * The server's list only selects among the asymmetric algorithms that fit the key. `text` is the
 * private key. @throws VendorError `invalid`
 */
export function clientKeyForm(text: string, use: ClientKeyUse): Readonly<Record<string, string>> {
  const clientKey = readClientKey(text);
  if (clientKey === null) throw new VendorError('invalid', `The key of the client ${CLIENT_KEY_RULE}.`);
  const alg = algorithmFor(clientKey, use);
  if (alg === undefined)
    throw new VendorError(
      'invalid',
      'The authorization server takes no signature that the key of the client can make.',
    );
  const kid = use.keyId ?? clientKey.id;
  const issuedAt = Math.floor(use.now / 1_000);
  const claims = {
    ...{ iss: use.clientId, sub: use.clientId, aud: use.issuer, jti: randomHex(16) },
    ...{ iat: issuedAt, exp: issuedAt + ASSERTION_SECONDS },
  };
  const header = { alg, typ: 'JWT', ...(kid !== null && { kid }) };
  return {
    ...{ client_id: use.clientId, client_assertion_type: ASSERTION_TYPE },
    client_assertion: signedByKey(clientKey.key, header, claims),
  };
}

const algorithmFor = (
  { algorithms }: ClientKey,
  { algorithm, announced }: ClientKeyUse,
): string | undefined =>
  algorithms.find(
    (each) =>
      (algorithm === null || each === algorithm) && (announced.length === 0 || announced.includes(each)),
  );

function signedByKey(key: KeyObject, header: { readonly alg: string }, claims: object): string {
  try {
    return signedBy(key, header, claims);
  } catch (cause) {
    throw new VendorError('invalid', 'The key of the client cannot sign.', { cause });
  }
}

/** Signs claims as a JSON Web Token with the algorithm of its header, which must fit the key. */
export function signedBy(key: KeyObject, header: { readonly alg: string }, claims: object): string {
  const signed = `${encoded(header)}.${encoded(claims)}`;
  return `${signed}.${signature(key, header.alg, Buffer.from(signed)).toString('base64url')}`;
}

function signature(key: KeyObject, algorithm: string, signed: Buffer): Buffer {
  const hash = `sha${algorithm.slice(2)}`;
  switch (algorithm.slice(0, 2)) {
    case 'RS':
      return sign(hash, signed, { key, padding: constants.RSA_PKCS1_PADDING });
    case 'PS':
      return sign(hash, signed, {
        ...{ key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
      });
    case 'ES':
      return sign(hash, signed, { key, dsaEncoding: 'ieee-p1363' });
    default:
      return sign(null, signed, key);
  }
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
