import { isPageSignature, pageSignature } from './page-signatures';

/** Signs the cookies of the protocol engine, so that pages of ours can check them too. */
export class CookieKeys {
  constructor(private readonly key: Buffer) {}

  sign(data: string): string {
    return pageSignature(this.key, `cookie:${data}`);
  }

  verify(data: string, signature: string): boolean {
    return isPageSignature(this.key, `cookie:${data}`, signature);
  }

  /** Position of the key that has signed: there is one. */
  index(data: string, signature: string): number {
    return this.verify(data, signature) ? 0 : -1;
  }
}
