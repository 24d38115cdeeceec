import { isObject } from '@gw/kernel';

const LENGTH_MAX = 256;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;
const INDEX = /^(?:0|[1-9]\d{0,5})$/;

/** Whether a text is a JSON pointer (RFC 6901) of at most 256 characters to a member or an item. */
export const isArgumentPointer = (text: string): boolean => text.length <= LENGTH_MAX && POINTER.test(text);

/** The value that a pointer names; undefined without one. Reads own members and items only. */
export function pointedArgument(value: unknown, pointer: string): unknown {
  let at = value;
  for (const part of pointer.slice(1).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = INDEX.test(name) ? (at as readonly unknown[])[Number(name)] : undefined;
    else if (isObject(at) && Object.hasOwn(at, name)) at = at[name];
    else return undefined;
  }
  return at;
}
