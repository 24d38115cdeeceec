import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signature by which a cookie or a form of a page is known as ours: HMAC-SHA256, base64url. `text` begins with what it is for. */
export const pageSignature = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

/** Whether `signature` is that of `text`. Takes the same time for every wrong one of its length. */
export function isPageSignature(key: Buffer, text: string, signature: string): boolean {
  const given = Buffer.from(signature);
  const right = Buffer.from(pageSignature(key, text));
  return given.length === right.length && timingSafeEqual(given, right);
}
