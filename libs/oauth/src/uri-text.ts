export const URI_LENGTH_MAX = 2_048;

/**
 * Returns why browsers must not be redirected to a URI; undefined when they may. Checks the text
 * itself, because URL parsers remove and rewrite characters, which can disguise a URI.
 */
export function uriTextFault(text: string): string | undefined {
  if (text.length > URI_LENGTH_MAX) return `must have at most ${String(URI_LENGTH_MAX)} characters`;
  if (text.includes('*')) return 'must not have a wildcard; register each address';
  if (text.includes('#')) return 'must not have a fragment (#)';
  if (!/^[\w\-.~:/?[\]@!$&'()+,;=%]+$/.test(text))
    return 'must have only the characters of RFC 3986: no spaces, control characters, backslashes or quotes';
  if (/%(?:00|0a|0d|5c)/i.test(text)) return 'must not encode control characters or a backslash';
  return hasDotSegment(text) ? 'must not have the path segments . and ..' : undefined;
}

function hasDotSegment(text: string): boolean {
  const [path = ''] = text.split('?');
  return path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
}

/** Splits a URI into its scheme as written and the text after the colon; null without a scheme. */
export function schemeOf(text: string): { readonly scheme: string; readonly rest: string } | null {
  const [, scheme, rest] = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s.exec(text) ?? [];
  return scheme === undefined || rest === undefined ? null : { scheme, rest };
}

/**
 * Parses host and port of the text after `https:`. Returns an error message when there is no valid
 * host.
 */
export function authorityOf(rest: string): { readonly host: string; readonly port: number | null } | string {
  if (!rest.startsWith('//')) return 'must have // behind its scheme';
  const [authority = ''] = rest.slice(2).split(/[/?]/, 1);
  if (authority.includes('@')) return 'must not have a user or password';
  const [, host = '', port] = /^(\[[0-9a-fA-F:.]*\]|[^:[\]]*)(?::(.*))?$/s.exec(authority) ?? [];
  if (host === '') return 'must name a host';
  if (port === undefined) return { host, port: null };
  const isPort = /^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535;
  return isPort ? { host, port: Number(port) } : 'must have a port of 1 to 65535, or none';
}
