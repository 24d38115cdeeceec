import { createHash } from 'node:crypto';
import type { TrustRule } from '@gw/contracts';
import { claimFault, CONTROL } from './trust-token';

/** Seconds by which clocks may differ. */
const SKEW = 5;
const SUBJECT_MAX = 256;
const ID_MAX = 512;

/**
 * Returns the issuer of a token: its claim `iss`, or the trust domain of a SPIFFE id; null without
 * either.
 */
export function issuerOf({ iss, sub }: Readonly<Record<string, unknown>>): string | null {
  if (iss !== undefined) return typeof iss === 'string' && iss.length <= 2_048 ? iss : null;
  return typeof sub === 'string' ? (/^spiffe:\/\/[a-z0-9._-]{1,255}(?=\/)/.exec(sub)?.[0] ?? null) : null;
}

/**
 * Returns the name of an issuer in keys of documents and indexes: its SHA-256, 64 hexadecimal
 * digits.
 */
export const issuerDigest = (issuer: string): string => createHash('sha256').update(issuer).digest('hex');

/**
 * Whether an audience belongs to one organisation alone, because it contains the organisation's id.
 */
export const isOwnAudience = (audience: string, organisationId: string): boolean =>
  audience.includes(organisationId);

/**
 * Checks audience, times and subject. Returns the token's expiry in Unix seconds. Throws
 * `TokenFault`. `now`: Unix seconds.
 */
export function checkClaims(
  { audiences, maxTtl }: Pick<TrustRule, 'audiences' | 'maxTtl'>,
  claims: Readonly<Record<string, unknown>>,
  now: number,
): number {
  const { aud, sub } = claims;
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!named.some((each) => typeof each === 'string' && audiences.includes(each))) {
    throw claimFault('aud names none of the audiences of the trust');
  }
  if (typeof sub !== 'string' || sub === '' || sub.length > SUBJECT_MAX || CONTROL.test(sub)) {
    throw claimFault(`sub must be a text of at most ${String(SUBJECT_MAX)} characters`);
  }
  return checkTimes(claims, maxTtl, now);
}

/** Returns the `jti` of a token that is accepted only once. Throws `TokenFault`. */
export function idOf({ jti }: Readonly<Record<string, unknown>>): string {
  if (typeof jti !== 'string' || jti === '' || jti.length > ID_MAX || CONTROL.test(jti))
    throw claimFault(
      `jti must be a text of at most ${String(ID_MAX)} characters, since the token works once`,
    );
  return jti;
}

function checkTimes(
  { exp, nbf, iat }: Readonly<Record<string, unknown>>,
  maxTtl: number,
  now: number,
): number {
  if (!isTime(exp)) throw claimFault('exp must be a time in seconds');
  if (exp <= now - SKEW) throw claimFault('it has expired');
  if (exp > now + maxTtl + SKEW) throw claimFault(`it lives longer than ${String(maxTtl)} seconds`);
  for (const [name, time] of [
    ['nbf', nbf],
    ['iat', iat],
  ] as const) {
    if (time === undefined) continue;
    if (!isTime(time)) throw claimFault(`${name} must be a time in seconds`);
    if (time > now + SKEW) throw claimFault(`${name} is in the future`);
  }
  return exp;
}

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 && value < Number.MAX_SAFE_INTEGER;
