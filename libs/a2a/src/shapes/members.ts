import { isObject } from '@gw/kernel';

/** A JSON object with unchecked members. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * Thrown for a value without the shape that A2A defines. `path` names the member, such as
 * `message.parts[0]`.
 */
export class ShapeFault extends Error {
  override readonly name = 'ShapeFault';

  constructor(
    readonly path: string,
    rule: string,
  ) {
    super(`${path} ${rule}.`);
  }
}

/** Maximum length of a list in a message, task or response. */
export const ITEMS_MAX = 10_000;
/** Maximum length of an id of a task, context or message, in characters. */
export const ID_LENGTH_MAX = 512;

/** Returns the value as an object. Throws `ShapeFault`. */
export function objectAt(value: unknown, path: string): Members {
  if (!isObject(value)) throw new ShapeFault(path, 'must be an object');
  return value;
}

/** Translates each item of a list of at most 10,000. Throws `ShapeFault`. */
export function listAt<T>(value: unknown, path: string, each: (item: unknown, path: string) => T): T[] {
  if (!Array.isArray(value)) throw new ShapeFault(path, 'must be a list');
  if (value.length > ITEMS_MAX) throw new ShapeFault(path, `must have at most ${String(ITEMS_MAX)} items`);
  return value.map((item, index) => each(item, `${path}[${String(index)}]`));
}

/** Returns whether a member is set. In ProtoJSON, null means the same as an absent member. */
export const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** Returns the named members that are set. */
export const picked = (from: Members, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => isSet(from[name])).map((name) => [name, from[name]]));

/**
 * Returns the named members that are set and not empty; serialisers of 1.0 write an empty text for
 * no value.
 */
export const pickedTexts = (from: Members, names: readonly string[]): Record<string, unknown> =>
  picked(
    from,
    names.filter((name) => from[name] !== ''),
  );

/**
 * Returns `{[to]: translated}` when the member `from` of an object is set, and nothing otherwise.
 */
export function moved(
  source: Members,
  from: string,
  to: string,
  translate: (value: unknown) => unknown = (value) => value,
): Record<string, unknown> {
  const value = source[from];
  return isSet(value) ? { [to]: translate(value) } : {};
}
