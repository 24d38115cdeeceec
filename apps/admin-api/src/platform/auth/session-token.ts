import { createHmac } from 'node:crypto';
import { TOKEN_AUDIENCE, TOKEN_ISSUER } from '@gw/contracts';

export interface SessionClaims {
  /** User id. */
  readonly sub: string;
  /** Session id. */
  readonly sid: string;
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs a JWT with HS256 (RFC 7515), which passport-jwt verifies. Times are Unix seconds. */
export function signSessionToken(
  key: Buffer,
  claims: SessionClaims,
  issuedAt: number,
  expiresAt: number,
): string {
  const payload = { iss: TOKEN_ISSUER, aud: TOKEN_AUDIENCE, ...claims, iat: issuedAt, exp: expiresAt };
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(payload)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}
