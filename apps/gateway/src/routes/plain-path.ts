import { ROUTE_FAMILIES, type RouteFamily } from '@gw/contracts';

/**
 * A path as most providers read it, without its query: escapes of ASCII decoded, matrix parameters and repeated or last slashes
 * dropped. Whatever judges a request by its path reads it through here, so that no spelling passes as another path. Letters keep
 * their case, which ids need: patterns over it ignore case.
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

/** Ends of paths by which the family of a passthrough request is known, the longest first. */
const FAMILIES = Object.entries<RouteFamily>(ROUTE_FAMILIES)
  .flatMap(([name, { pathEnd }]) => (pathEnd === undefined ? [] : [[pathEnd, name] as const]))
  .sort(([one], [other]) => other.length - one.length);

/** The family of routes that a passthrough path ends like; empty: none. */
export function familyOfPath(url: string): string {
  const path = plainPath(url).toLowerCase();
  return FAMILIES.find(([end]) => path.endsWith(end))?.[1] ?? '';
}
