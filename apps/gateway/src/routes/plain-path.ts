import { ROUTE_FAMILIES, type RouteFamily } from '@gw/contracts';

/**
 * Normalises a path as most providers do, without its query: decodes ASCII escapes, and removes
 * matrix parameters and repeated or trailing slashes. Every check of a request by its path uses it,
 * so that no spelling passes as another path. Letters keep their case, which ids need; patterns
 * over the result ignore case.
 */
export function plainPath(url: string): string {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  if (!UNPLAIN.test(path)) return path;
  const plain = path
    .replace(ASCII_ESCAPE, (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)))
    .replace(MATRIX, '')
    .replace(/\/{2,}/g, '/');
  return plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}

const UNPLAIN = /[%;]|\/\/|\/$/;
const ASCII_ESCAPE = /%[0-7][0-9a-f]/gi;
const MATRIX = /;[^/]*/g;

/** Path suffixes that identify the family of a passthrough request, the longest first. */
const FAMILIES = Object.entries<RouteFamily>(ROUTE_FAMILIES)
  .flatMap(([name, { pathEnd }]) => (pathEnd === undefined ? [] : [[pathEnd, name] as const]))
  .sort(([one], [other]) => other.length - one.length);

/** Returns the route family of a passthrough path by its suffix; empty: none. */
export function familyOfPath(url: string): string {
  const path = plainPath(url).toLowerCase();
  return FAMILIES.find(([end]) => path.endsWith(end))?.[1] ?? '';
}
