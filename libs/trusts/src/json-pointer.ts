import { isObject } from '@gw/kernel';

const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;

/** Whether a text is a JSON pointer (RFC 6901) to a member. */
export const isPointer = (text: string): boolean => text.length <= 256 && POINTER.test(text);

/** The value that a pointer names; undefined without one. Reads own members only. */
export function pointed(value: unknown, pointer: string): unknown {
  let at = value;
  for (const part of pointer.slice(1).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}
