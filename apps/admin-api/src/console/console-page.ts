import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const NONCE_BYTES = 18;
const BASE = '<base href="/console/" />';
const NONCE = '<meta name="console-nonce" content="" />';

export interface ServedPage {
  readonly html: string;
  /** Content security policy of this response only. */
  readonly policy: string;
}

/**
 * The single page of the console: `index.html` of its build, read once and served with a new nonce
 * in each response.
 */
export class ConsolePage {
  private template: string | null = null;

  /**
   * `base` is the path of the console without a trailing slash. `gateway` is an address that the
   * page may call in addition to its own origin.
   */
  constructor(
    private readonly folder: string,
    private readonly base: string,
    private readonly gateway: string,
  ) {}

  /**
   * Returns the page for a request with this URL; null when the console is not built. The page of
   * single sign-on may post forms to other sites over HTTPS, because some SAML identity providers
   * need it; no other page may.
   */
  async serve(url = ''): Promise<ServedPage | null> {
    this.template ??= await this.read();
    if (this.template === null) return null;
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    const html = this.template.replace(NONCE, NONCE.replace('""', `"${nonce}"`));
    const [path] = url.split('?');
    return { html, policy: this.policy(nonce, path === `${this.base}/login/sso`) };
  }

  private async read(): Promise<string | null> {
    try {
      const html = await readFile(join(this.folder, 'index.html'), 'utf8');
      return html.replace(BASE, () => BASE.replace('/console/', () => `${this.base}/`));
    } catch {
      return null;
    }
  }

  private policy(nonce: string, mayPost: boolean): string {
    return [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "font-src 'self'",
      "img-src 'self' data: blob:",
      'media-src blob:',
      `connect-src 'self' ${new URL(this.gateway).origin}`,
      "worker-src 'self'",
      `form-action 'self'${mayPost ? ' https:' : ''}`,
      "base-uri 'self'",
      "frame-ancestors 'none'",
    ].join('; ');
  }
}
