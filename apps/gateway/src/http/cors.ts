import type { IncomingMessage, ServerResponse } from 'node:http';
import { ALLOWED_METHODS } from './request-rules';

const PREFLIGHT_SECONDS = '600';
/** Credentials travel in headers that a page has to set itself, never in cookies, so that all answer headers may be shown. */
const EXPOSED = '*';

/** Which pages may read answers. Without any origin nothing is added, and OPTIONS belongs to the provider. */
export class Cors {
  private readonly all: boolean;
  private readonly origins: ReadonlySet<string>;

  /** Origins as a browser sends them (`https://app.example.com`), or `*`. */
  constructor(origins: readonly string[]) {
    this.all = origins.includes('*');
    this.origins = new Set(origins.map((origin) => origin.toLowerCase()));
  }

  /**
   * Lets an allowed page read whatever is answered. True when the request was its preflight, which is answered here.
   */
  apply(req: IncomingMessage, res: ServerResponse): boolean {
    const { origin } = req.headers;
    if (origin === undefined || !(this.all || this.origins.has(origin.toLowerCase()))) return false;
    res.setHeader('access-control-allow-origin', this.all ? '*' : origin);
    res.setHeader('access-control-expose-headers', EXPOSED);
    if (!this.all) res.setHeader('vary', 'origin');
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return false;
    const requested = req.headers['access-control-request-headers'];
    if (requested !== undefined) res.setHeader('access-control-allow-headers', requested);
    res.setHeader('access-control-allow-methods', ALLOWED_METHODS);
    res.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
    res.writeHead(204);
    res.end();
    return true;
  }
}
