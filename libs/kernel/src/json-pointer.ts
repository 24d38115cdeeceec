import { isObject } from './is-object';

const LENGTH_MAX = 256;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;
const INDEX = /^(?:0|[1-9]\d{0,5})$/;

/**
 * Returns whether a text is a JSON pointer (RFC 6901) of at most 256 characters to a member or an
 * item.
 */
export const isPointer = (text: string): boolean => text.length <= LENGTH_MAX && POINTER.test(text);

/**
 * Returns the value that a pointer names; undefined if there is none. It reads own members of
 * objects, and items of lists only with `items`.
 */
export function pointed(
  value: unknown,
  pointer: string,
  { items }: { readonly items: boolean } = { items: false },
): unknown {
  let at = value;
  for (const part of pointer.slice(1).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (items && Array.isArray(at))
      at = INDEX.test(name) ? (at as readonly unknown[])[Number(name)] : undefined;
    else if (isObject(at) && Object.hasOwn(at, name)) at = at[name];
    else return undefined;
  }
  return at;
}
