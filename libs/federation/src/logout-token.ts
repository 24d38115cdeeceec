import { isObject } from '@gw/kernel';
import { jwtVerify, type JWTVerifyGetKey } from 'jose';
import { SKEW_SECONDS } from './id-token';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];
const AGE_MAX_SECONDS = 600;
/** Types of logout tokens; providers that follow older drafts send the second one. */
const TYPES: readonly unknown[] = ['logout+jwt', 'JWT', undefined];

/**
 * A logout that a provider reports, for all sessions of a subject or for single sessions. At least
 * one of the two is set.
 */
export interface ProvidedLogout {
  readonly subject: string | null;
  /** Ids of sessions at the provider; empty: all sessions of the subject. */
  readonly sessions: readonly string[];
  /** Id of the message, which may be used only once, until `usableUntil`. */
  readonly id: string;
  readonly usableUntil: Date;
}

/**
 * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6). Throws an error
 * that names the check.
 */
export async function readLogoutToken(
  token: string,
  {
    issuer,
    clientId,
    key,
  }: { readonly issuer: string; readonly clientId: string; readonly key: JWTVerifyGetKey },
): Promise<ProvidedLogout> {
  const { payload, protectedHeader } = await jwtVerify(token, key, {
    ...{ issuer, audience: clientId, algorithms: ALGORITHMS },
    clockTolerance: SKEW_SECONDS,
    maxTokenAge: AGE_MAX_SECONDS,
    requiredClaims: ['iss', 'aud', 'iat', 'jti', 'events'],
  });
  const { events, nonce, sub, sid, jti } = payload as Readonly<Record<string, unknown>>;
  if (!TYPES.includes(protectedHeader.typ)) throw new Error('typ is not that of a logout token.');
  if (!isObject(events) || !isObject(events[EVENT])) throw new Error('events has no logout.');
  if (nonce !== undefined) throw new Error('A logout token has no nonce.');
  const [subject, session] = [idIn(sub), idIn(sid)];
  if (subject === null && session === null) throw new Error('Neither sub nor sid is there.');
  if (typeof jti !== 'string' || jti.length > 512)
    throw new Error('jti must be a text of at most 512 characters.');
  const usableUntil = new Date(Date.now() + (AGE_MAX_SECONDS + 2 * SKEW_SECONDS) * 1_000);
  return { subject, sessions: session === null ? [] : [session], id: jti, usableUntil };
}

const idIn = (claim: unknown): string | null =>
  typeof claim === 'string' && claim !== '' && claim.length <= 255 ? claim : null;
