import { createHash, timingSafeEqual } from 'node:crypto';

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Returns a function that tells whether an `Authorization` header has the service token. It
 * compares digests of equal length in constant time.
 */
export function serviceTokenCheck(serviceToken: string): (authorization: string | undefined) => boolean {
  const expected = digestOf(`Bearer ${serviceToken}`);
  return (authorization) => timingSafeEqual(digestOf(authorization ?? ''), expected);
}
