import type { HeaderList } from '../provider';

/** Returns whether the list has a header of this lower-case name. */
export function hasHeader(headers: HeaderList, name: string): boolean {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return true;
  return false;
}

/** Removes every header of this lower-case name. */
export function removeHeader(headers: HeaderList, name: string): void {
  for (let at = headers.length - 2; at >= 0; at -= 2) if (headers[at] === name) headers.splice(at, 2);
}

/**
 * Replaces every header of this name with one value, so that the caller's own is never sent as
 * well.
 */
export function replaceHeader(headers: HeaderList, name: string, value: string): void {
  removeHeader(headers, name);
  headers.push(name, value);
}
