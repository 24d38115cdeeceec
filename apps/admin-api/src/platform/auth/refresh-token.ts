import { timingSafeEqual, type KeyObject } from 'node:crypto';
import { hashApiKey, randomAlphanumeric } from '@gw/kernel';

const FORM = /^([0-9a-f]{32})([A-Za-z0-9]{48})([0-9a-f]{32})$/;

/**
 * Creates a refresh token of a session: the session's id, 48 random characters, and an HMAC that
 * only the control plane can create. Every token that a session has ever had can thus be recognised
 * without being stored.
 */
export function refreshTokenOf(pepper: KeyObject, sessionId: string): string {
  const content = sessionId.replaceAll('-', '') + randomAlphanumeric(48);
  return content + codeOf(pepper, content);
}

/**
 * Returns the id of the session for which a token was created; null for a token that the control
 * plane did not create in this form.
 */
export function sessionOfToken(pepper: KeyObject, token: string): string | null {
  const [, id, random, code] = FORM.exec(token) ?? [];
  if (id === undefined || random === undefined || code === undefined) return null;
  const expected = codeOf(pepper, id + random);
  if (!timingSafeEqual(Buffer.from(code), Buffer.from(expected))) return null;
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const codeOf = (pepper: KeyObject, content: string): string =>
  hashApiKey(pepper, `refresh-token/${content}`).slice(0, 32);
