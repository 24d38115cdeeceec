import { isObject } from '@gw/kernel';
import { memberNames } from './member-names';

/** A well-formed token whose content is not verified yet. */
export interface ReadToken {
  readonly algorithm: string;
  readonly keyId: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The signed bytes. */
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/**
 * The checks of a token, in the order in which they begin. Claims about limits, metadata and the
 * user are read last, after the map.
 */
export const TOKEN_CHECKS = [
  'form',
  'issuer',
  'claims',
  'organisation',
  'conditions',
  'key',
  'signature',
  'map',
] as const;
export type TokenCheck = (typeof TOKEN_CHECKS)[number];

/**
 * Why a token is refused. The text is for logs and the trust tester; callers get one message for
 * all faults.
 */
export class TokenFault extends Error {
  constructor(
    readonly check: TokenCheck,
    message: string,
  ) {
    super(message);
    this.name = 'TokenFault';
  }
}

const BYTES_MAX = 16_384;
const KEY_ID_MAX = 256;
const FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
/** Header parameters that would choose the key or change the signed content. */
const REFUSED = ['jku', 'x5u', 'jwk', 'x5c', 'crit', 'b64', 'zip', 'enc', 'p2c'];
export const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Whether a credential has the form of a JWT and is therefore not an API key. */
export const isTokenForm = (credential: string): boolean =>
  credential.length <= BYTES_MAX && credential.startsWith('eyJ') && FORM.test(credential);

/** Values of `typ` in tokens of callers. */
const CALLER_TYPES = ['jwt', 'at+jwt'];
/** Values of `typ` in assertions of an identity provider for a user of a client (ID-JAG). */
export const ASSERTION_TYPES = ['oauth-id-jag+jwt'];

/** Parses a token of one of the types without verifying it. Throws `TokenFault`. */
export function readToken(token: string, types: readonly string[] = CALLER_TYPES): ReadToken {
  if (!isTokenForm(token)) throw malformed('it is not three parts of base64url, or it is too long');
  const [header = '', payload = '', signature = ''] = token.split('.');
  const { algorithm, keyId } = readHeader(objectIn(header), types);
  return {
    algorithm,
    keyId,
    claims: objectIn(payload),
    signed: Buffer.from(`${header}.${payload}`, 'latin1'),
    signature: Buffer.from(signature, 'base64url'),
  };
}

function readHeader(
  header: Readonly<Record<string, unknown>>,
  types: readonly string[],
): { algorithm: string; keyId: string } {
  const { alg, kid, typ } = header;
  const refused = REFUSED.find((name) => header[name] !== undefined);
  if (refused !== undefined) throw malformed(`the header must not have ${refused}`);
  if (typeof alg !== 'string') throw malformed('alg must be a string');
  if (typeof kid !== 'string' || kid === '' || kid.length > KEY_ID_MAX || CONTROL.test(kid)) {
    throw malformed('kid must name a key');
  }
  const type = typ === undefined ? 'jwt' : typeof typ === 'string' ? typ.toLowerCase() : '';
  if (!types.includes(type)) throw malformed(`typ must be ${types.join(' or ')}`);
  return { algorithm: alg, keyId: kid };
}

/**
 * Parses the JSON object in a part of a token. Throws `TokenFault`, also for duplicate names, which
 * parsers read differently.
 */
export function objectIn(part: string): Readonly<Record<string, unknown>> {
  const text = Buffer.from(part, 'base64url').toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('a part is not JSON');
  }
  if (!isObject(value)) throw malformed('a part is no object');
  const names = memberNames(text);
  if (new Set(names).size < names.length) throw malformed('a name occurs twice');
  return value;
}

const malformed = (message: string): TokenFault =>
  new TokenFault('form', `The token cannot be read: ${message}.`);

/** Creates the fault of a claim; `message` names the claim and the rule. */
export const claimFault = (message: string): TokenFault =>
  new TokenFault('claims', `The token is not accepted: ${message}.`);
