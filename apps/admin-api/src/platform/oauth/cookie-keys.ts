import { isPageSignature, pageSignature } from './page-signatures';

/**
 * Signs the cookies of the protocol engine, so that the admin API's own pages can check them too.
 */
export class CookieKeys {
  constructor(private readonly key: Buffer) {}

  sign(data: string): string {
    return pageSignature(this.key, `cookie:${data}`);
  }

  verify(data: string, signature: string): boolean {
    return isPageSignature(this.key, `cookie:${data}`, signature);
  }

  /** Returns the position of the key that made the signature, or -1. There is only one key. */
  index(data: string, signature: string): number {
    return this.verify(data, signature) ? 0 : -1;
  }
}
