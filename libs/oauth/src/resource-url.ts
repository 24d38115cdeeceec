import { URL_LENGTH_MAX } from '@gw/kernel';

/**
 * Returns the canonical URL of a resource (RFC 8707): scheme and host in lower case, without
 * default port and trailing slash. Undefined for another text, a URL with a query or fragment, or
 * one that a URL parser would change further.
 */
export function canonicalResource(url: string): string | undefined {
  if (url.length > URL_LENGTH_MAX) return undefined;
  const [, origin, path = ''] = /^(https?:\/\/[^/?#@\\]+)(\/[^?#\\]*)?$/i.exec(url) ?? [];
  if (origin === undefined) return undefined;
  const canonical = withoutDefaultPort(origin.toLowerCase()) + path.replace(/\/$/, '');
  return isStable(canonical) ? canonical : undefined;
}

const withoutDefaultPort = (origin: string): string =>
  origin.replace(origin.startsWith('https:') ? /:443$/ : /:80$/, '');

/** Whether URL parsers do not change a URL and it has no empty segments. */
function isStable(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { href, hostname, pathname } = new URL(url);
  const isSame = href === url || (pathname === '/' && href === `${url}/`);
  return isSame && !hostname.endsWith('.') && !pathname.includes('//') && !url.endsWith('/');
}

/**
 * Whether two URLs name the same resource. A URL that only starts with the other one names another
 * resource.
 */
export function sameResource(one: string, other: string): boolean {
  const canonical = canonicalResource(one);
  return canonical !== undefined && canonical === canonicalResource(other);
}
