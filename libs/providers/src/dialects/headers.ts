import type { HeaderList } from '../provider';

/** True when the list has a header of this (lower-case) name. */
export function hasHeader(headers: HeaderList, name: string): boolean {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return true;
  return false;
}

/** Puts the value in place of every header of this name, so that a caller's own is never sent next to it. */
export function replaceHeader(headers: HeaderList, name: string, value: string): void {
  for (let at = headers.length - 2; at >= 0; at -= 2) if (headers[at] === name) headers.splice(at, 2);
  headers.push(name, value);
}
