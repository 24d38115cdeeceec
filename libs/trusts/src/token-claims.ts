import type { TrustRule } from '@gw/contracts';
import { TokenFault } from './trust-token';

/** Seconds by which clocks may differ. */
const SKEW = 5;
const SUBJECT_MAX = 256;
const CONTROL = /[\u0000-\u001f\u007f]/;

/** The issuer of a token: its claim, or the trust domain of a SPIFFE id, whose tokens need none. Null without one. */
export function issuerOf({ iss, sub }: Readonly<Record<string, unknown>>): string | null {
  if (iss !== undefined) return typeof iss === 'string' && iss.length <= 2_048 ? iss : null;
  return typeof sub === 'string' ? (/^spiffe:\/\/[a-z0-9._-]{1,255}(?=\/)/.exec(sub)?.[0] ?? null) : null;
}

/**
 * Checks audience, times and subject. Returns the end of the token in Unix seconds. Throws `TokenFault`. `now`: Unix seconds.
 */
export function checkClaims(
  { audiences, maxTtl }: Pick<TrustRule, 'audiences' | 'maxTtl'>,
  claims: Readonly<Record<string, unknown>>,
  now: number,
): number {
  const { aud, sub } = claims;
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!named.some((each) => typeof each === 'string' && audiences.includes(each))) {
    throw fault('aud names none of the audiences of the trust');
  }
  if (typeof sub !== 'string' || sub === '' || sub.length > SUBJECT_MAX || CONTROL.test(sub)) {
    throw fault(`sub must be a text of at most ${String(SUBJECT_MAX)} characters`);
  }
  return checkTimes(claims, maxTtl, now);
}

function checkTimes(
  { exp, nbf, iat }: Readonly<Record<string, unknown>>,
  maxTtl: number,
  now: number,
): number {
  if (!isTime(exp)) throw fault('exp must be a time in seconds');
  if (exp <= now - SKEW) throw fault('it has expired');
  if (exp > now + maxTtl + SKEW) throw fault(`it lives longer than ${String(maxTtl)} seconds`);
  for (const [name, time] of [
    ['nbf', nbf],
    ['iat', iat],
  ] as const) {
    if (time === undefined) continue;
    if (!isTime(time)) throw fault(`${name} must be a time in seconds`);
    if (time > now + SKEW) throw fault(`${name} is in the future`);
  }
  return exp;
}

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 && value < Number.MAX_SAFE_INTEGER;

const fault = (message: string): TokenFault =>
  new TokenFault('claims', `The token is not accepted: ${message}.`);
