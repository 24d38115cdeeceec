import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signs the cookies of the protocol engine, so that pages of ours can check them too. */
export class CookieKeys {
  constructor(private readonly key: Buffer) {}

  sign(data: string): string {
    return createHmac('sha256', this.key).update(`cookie:${data}`).digest('base64url');
  }

  verify(data: string, signature: string): boolean {
    const given = Buffer.from(signature);
    const right = Buffer.from(this.sign(data));
    return given.length === right.length && timingSafeEqual(given, right);
  }

  /** Position of the key that has signed: there is one. */
  index(data: string, signature: string): number {
    return this.verify(data, signature) ? 0 : -1;
  }
}
