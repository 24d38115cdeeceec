import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const NONCE_BYTES = 18;
const BASE = '<base href="/console/" />';
const NONCE = '<meta name="console-nonce" content="" />';

export interface ServedPage {
  readonly html: string;
  /** Content security policy of this answer alone. */
  readonly policy: string;
}

/** The one page of the console: `index.html` of its build, read once, with a new nonce for each answer. */
export class ConsolePage {
  private template: string | null = null;

  /** `base`: path of the console without a slash at its end. `gateway`: address that the page may call besides ours. */
  constructor(
    private readonly folder: string,
    private readonly base: string,
    private readonly gateway: string,
  ) {}

  /**
   * Null when the console is not built. `url`: of the request. The page of single sign-on may post forms to other sites over https, as
   * some identity providers by SAML need it; no other page may.
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
