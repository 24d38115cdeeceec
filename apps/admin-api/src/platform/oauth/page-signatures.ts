import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Returns the signature that proves that a cookie or form of a page is genuine: HMAC-SHA256 in
 * base64url. `text` must begin with its purpose.
 */
export const pageSignature = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

/**
 * Whether `signature` belongs to `text`. Takes the same time for every wrong signature of the
 * correct length.
 */
export function isPageSignature(key: Buffer, text: string, signature: string): boolean {
  const presented = Buffer.from(signature);
  const right = Buffer.from(pageSignature(key, text));
  return presented.length === right.length && timingSafeEqual(presented, right);
}
