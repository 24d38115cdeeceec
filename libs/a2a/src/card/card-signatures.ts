import { isObject, isSigned, SIGNING_ALGORITHMS, type SigningKey } from '@gw/kernel';
import type { Members } from '../shapes/members';
import { JsonRefusal, parseBounded } from '../bounded-json';
import { CanonicalFault } from './canonical-json';
import { cardPayload, cardPayloads, type CardPayload } from './card-payload';

/**
 * Result of verifying the signatures of a card, in the order below: a trusted key signed it, a
 * signature is wrong, there is no signature, or no trusted key signed it. An `invalid` card is
 * never served.
 */
export type SignatureState = 'verified' | 'invalid' | 'unsigned' | 'untrusted';

/** Maximum number of signatures of one card. */
const SIGNATURES_MAX = 20;
const PART_LENGTH_MAX = 8_192;
const KEY_ID_LENGTH_MAX = 256;
const BASE64URL = /^[\w-]+$/;
const HEADER_BOUNDS = { bytesMax: PART_LENGTH_MAX, depthMax: 8, commasMax: 100 };
/** Refused parameters: they change what is signed, or supply their own key. */
const REFUSED = ['crit', 'b64', 'jwk', 'x5c', 'x5u'];

interface Header {
  readonly algorithm: string;
  readonly keyId: string;
  /** URL of the signer's key set; null for none. */
  readonly keySetUrl: string | null;
}

interface Signature extends Header {
  readonly protectedPart: string;
  readonly bytes: Buffer;
}

/**
 * Reads one entry of `signatures` (JWS, RFC 7515); null for a malformed entry, or one that no
 * asymmetric key can have signed.
 */
function readSignature(entry: unknown): Signature | null {
  if (!isObject(entry)) return null;
  const { protected: protectedPart, signature } = entry;
  if (!isPart(protectedPart) || !isPart(signature)) return null;
  const header = readHeader(protectedPart);
  return header === null ? null : { ...header, protectedPart, bytes: Buffer.from(signature, 'base64url') };
}

const isPart = (part: unknown): part is string =>
  typeof part === 'string' && part.length <= PART_LENGTH_MAX && BASE64URL.test(part);

function readHeader(part: string): Header | null {
  const header = headerIn(part);
  if (header === null || REFUSED.some((name) => header[name] !== undefined)) return null;
  const { alg, kid, jku } = header;
  if (!SIGNING_ALGORITHMS.some((algorithm) => algorithm === alg)) return null;
  if (typeof kid !== 'string' || kid === '' || kid.length > KEY_ID_LENGTH_MAX) return null;
  if (jku !== undefined && typeof jku !== 'string') return null;
  return { algorithm: String(alg), keyId: kid, keySetUrl: jku ?? null };
}

function headerIn(part: string): Members | null {
  try {
    const header = parseBounded(Buffer.from(part, 'base64url'), HEADER_BOUNDS);
    return isObject(header) ? header : null;
  } catch (error) {
    if (error instanceof JsonRefusal) return null;
    throw error;
  }
}

/**
 * Returns the signatures of a card, each null when malformed; null unless `signatures` is a list of
 * at most 20.
 */
function signaturesOf({ signatures }: Members): readonly (Signature | null)[] | null {
  if (signatures === undefined || signatures === null) return [];
  if (!Array.isArray(signatures) || signatures.length > SIGNATURES_MAX) return null;
  return signatures.map(readSignature);
}

/**
 * Returns the key set URLs of a card's signatures that may be fetched: those on one of `origins`,
 * which an administrator trusts. The card alone cannot add an origin, because then any signer could
 * vouch for itself. Every URL passes the address policy before it is fetched.
 */
export function keySetUrls(card: Members, origins: readonly string[]): readonly string[] {
  const urls = (signaturesOf(card) ?? []).flatMap((signature) => signature?.keySetUrl ?? []);
  return [...new Set(urls)].filter((url) => URL.canParse(url) && origins.includes(new URL(url).origin));
}

/** Result of verifying a card, with the members that are signed. */
export interface CardVerification {
  readonly state: SignatureState;
  /**
   * The members that a trusted key signed; null unless `verified`. Readers must use these members
   * instead of the card, because others can add members to the card that 1.0 does not have, such as
   * `url`.
   */
  readonly signed: Members | null;
}

/**
 * Verifies the signatures of a card (A2A 1.0, section 8.4) with trusted keys: those that are
 * configured, and those of the sets of `keySetUrls`. One valid signature suffices; wrong or
 * malformed ones matter only without a valid one. The card must have passed `readCard`.
 */
export function verifyCard(card: Members, keys: readonly SigningKey[]): CardVerification {
  const signatures = signaturesOf(card);
  if (signatures === null) return unproven('invalid');
  if (signatures.length === 0) return unproven('unsigned');
  const payloads = payloadsOf(card);
  if (payloads === null) return unproven('invalid');
  const results = signatures.map((signature) => verified(signature, payloads, keys));
  const isState = (state: SignatureState) => (result: CardVerification) => result.state === state;
  return results.find(isState('verified')) ?? results.find(isState('invalid')) ?? unproven('untrusted');
}

const unproven = (state: Exclude<SignatureState, 'verified'>): CardVerification => ({ state, signed: null });

/** Returns the payloads of a card; null for a card without a canonical form. */
function payloadsOf(card: Members): readonly CardPayload[] | null {
  try {
    return cardPayloads(card);
  } catch (error) {
    if (error instanceof CanonicalFault) return null;
    throw error;
  }
}

function verified(
  signature: Signature | null,
  payloads: readonly CardPayload[],
  keys: readonly SigningKey[],
): CardVerification {
  if (signature === null) return unproven('invalid');
  const { algorithm, keyId, protectedPart, bytes } = signature;
  const candidates = keys.filter(({ id }) => id === keyId);
  if (candidates.length === 0) return unproven('untrusted');
  const right = payloads.find(({ payload }) => {
    const signed = signingInput(protectedPart, encoded(payload));
    return candidates.some((key) => isSigned(key, { algorithm, signed, signature: bytes }));
  });
  return right === undefined ? unproven('invalid') : { state: 'verified', signed: right.covered };
}

const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

/** Returns the bytes that a JWS signs: the protected header and the payload, both in base64url. */
const signingInput = (protectedPart: string, payload: string): Buffer =>
  Buffer.from(`${protectedPart}.${payload}`, 'latin1');

/** A key that signs the cards that the gateway serves. */
export interface CardSigner {
  readonly keyId: string;
  /** URL of the key set that has the public key. */
  readonly keySetUrl: string;
  /** Signs with ES256; the signature is two numbers of 32 bytes (IEEE P1363). */
  readonly sign: (signed: Buffer) => Buffer;
}

/**
 * Returns a card of 1.0 with the gateway's signature as the only one. Returns null for a card with
 * empty members, or members that 1.0 does not have: readers could compute different payloads, so it
 * is served without a signature. Throws `CanonicalFault`.
 */
export function signCard(card: Members, { keyId, keySetUrl, sign }: CardSigner): Members | null {
  const { signatures: _others, ...unsigned } = card;
  if (cardPayloads(unsigned).length > 1) return null;
  const protectedPart = encoded(JSON.stringify({ alg: 'ES256', typ: 'JOSE', kid: keyId, jku: keySetUrl }));
  const signature = sign(signingInput(protectedPart, encoded(cardPayload(unsigned))));
  return {
    ...unsigned,
    signatures: [{ protected: protectedPart, signature: signature.toString('base64url') }],
  };
}
