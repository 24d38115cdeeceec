import { URL_LENGTH_MAX } from '@gw/kernel';

/**
 * The canonical form of the URL of a resource (RFC 8707): scheme and host in lower case, without default port and trailing slash.
 * Undefined for a text that is no such URL, that has a query or fragment, or that a URL parser would change further.
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

/** Whether URL parsers leave a URL as it is, and it has no empty segments. */
function isStable(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { href, hostname, pathname } = new URL(url);
  const isSame = href === url || (pathname === '/' && href === `${url}/`);
  return isSame && !hostname.endsWith('.') && !pathname.includes('//') && !url.endsWith('/');
}

/** Whether two URLs name one resource. One that only begins like the other is another resource. */
export function sameResource(one: string, other: string): boolean {
  const canonical = canonicalResource(one);
  return canonical !== undefined && canonical === canonicalResource(other);
}
