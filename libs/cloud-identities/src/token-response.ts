import { assertOk, isVisibleAscii, propertyOf, textOf, VendorError, type VendorResponse } from '@gw/kernel';
import type { Issued } from './tools';

/** Assumed lifetime in seconds of a token whose response states none. */
const DEFAULT_SECONDS = 300;
const LONGEST_SECONDS = 86_400;
const TOKEN_LENGTH_MAX = 16_384;

/** Reads an OAuth 2.0 token response. `what` names the service in errors. @throws VendorError */
export function bearerOf(response: VendorResponse, what: string, now: number): Issued {
  if (response.status === 400) throw new VendorError('denied', `${what} refused the credential.`);
  assertOk(response, what);
  const type = propertyOf(response.text, 'token_type') ?? 'bearer';
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer')
    throw new VendorError('invalid', `${what} sent a token that is not a bearer token.`);
  const token = tokenOf(propertyOf(response.text, 'access_token'), what);
  return {
    credential: { kind: 'bearer', token },
    expiresAt: now + secondsOf(propertyOf(response.text, 'expires_in')) * 1_000,
  };
}

/** Returns a token if it can be sent in a header. @throws VendorError */
export function tokenOf(value: unknown, what: string): string {
  const token = textOf(value, what);
  if (token.length <= TOKEN_LENGTH_MAX && isVisibleAscii(token)) return token;
  throw new VendorError('invalid', `${what} sent a token that no header can carry.`);
}

/** Reads a lifetime in seconds from a number or a text, which some services send. */
function secondsOf(value: unknown): number {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds < 1) return DEFAULT_SECONDS;
  return Math.min(seconds, LONGEST_SECONDS);
}

/**
 * Returns an ISO 8601 time in Unix milliseconds; the default lifetime from now when it is invalid.
 * At most a day from now.
 */
export function expiryOf(time: unknown, now: number): number {
  const parsed = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(parsed)) return now + DEFAULT_SECONDS * 1_000;
  return Math.min(parsed, now + LONGEST_SECONDS * 1_000);
}
