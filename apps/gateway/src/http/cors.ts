import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HeaderList } from '@gw/providers';
import { valueOf } from './header-rules';
import { ALLOWED_METHODS } from './request-rules';

const PREFLIGHT_SECONDS = '600';
/**
 * All response headers may be shown: credentials travel in headers that a page sets itself, never
 * in cookies.
 */
const EXPOSED = '*';

/**
 * Returns the origins of a console's pages. A console at 127.0.0.1 is also opened as `localhost`,
 * which is a different origin for browsers. Empty when `url` is null.
 */
export function consoleOrigins(url: string | null): string[] {
  if (url === null) return [];
  const { origin, protocol, hostname, port } = new URL(url);
  if (hostname !== '127.0.0.1') return [origin];
  return [origin, `${protocol}//localhost${port === '' ? '' : `:${port}`}`];
}

/**
 * Adds the `vary` that `Cors` has set to that of the response, which would replace it. `headers`
 * has names in lower case.
 */
export function keepVary(res: ServerResponse, headers: HeaderList): void {
  const set = res.getHeader('vary');
  if (typeof set === 'string' && valueOf(headers, 'vary') !== undefined) headers.push('vary', set);
}

/**
 * Decides which pages may read responses. Without configured origins it adds nothing, and OPTIONS
 * is forwarded.
 */
export class Cors {
  private readonly all: boolean;
  private readonly origins: ReadonlySet<string>;

  /** `origins` as a browser sends them (`https://app.example.com`), or `*`. */
  constructor(origins: readonly string[]) {
    this.all = origins.includes('*');
    this.origins = new Set(origins.map((origin) => origin.toLowerCase()));
  }

  /**
   * Adds the headers that let an allowed page read the response. Returns true if the request was a
   * preflight; the response is sent then.
   */
  apply(req: IncomingMessage, res: ServerResponse): boolean {
    const { origin } = req.headers;
    if (origin === undefined || (!this.all && this.origins.size === 0)) return false;
    if (!this.all) res.setHeader('vary', 'origin');
    if (!this.all && !this.origins.has(origin.toLowerCase())) return false;
    res.setHeader('access-control-allow-origin', this.all ? '*' : origin);
    res.setHeader('access-control-expose-headers', EXPOSED);
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
