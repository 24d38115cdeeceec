import { isObject } from '@gw/kernel';
import type { JsonObject } from '../protocol';

/** Returns a media type in lower case without its parameters, such as `application/json`. */
export const essenceOf = (type: string): string =>
  (type.slice(0, 256).toLowerCase().split(';')[0] ?? '').trim();

/**
 * Returns whether a media type is JSON, such as `application/json; charset=utf-8` or
 * `application/problem+json`.
 */
export const isJsonType = (type: string): boolean => {
  const name = essenceOf(type);
  return name === 'application/json' || name.endsWith('+json');
};

/** Returns the first entry of `content` whose media type `fits` accepts; null if there is none. */
export function mediaTypeOf(content: JsonObject, fits: (type: string) => boolean): JsonObject | null {
  const [, found] = Object.entries(content).find(([type]) => fits(type)) ?? [];
  return isObject(found) ? found : null;
}

/** An entry of `content` with a JSON media type. */
interface JsonMedia {
  /** Media type without its parameters. */
  readonly type: string;
  readonly media: JsonObject;
}

/** JSON media types by `content`, which many responses and parameters of a document may share. */
const jsonTypes = new WeakMap<JsonObject, { readonly found: JsonMedia | null }>();

/** Returns the first entry of `content` with a JSON media type; null if there is none. */
export function jsonMedia(content: JsonObject): JsonMedia | null {
  const known = jsonTypes.get(content);
  if (known !== undefined) return known.found;
  const [type, media] = Object.entries(content).find(([each]) => isJsonType(each)) ?? ['', null];
  const found = isObject(media) ? { type: essenceOf(type), media } : null;
  jsonTypes.set(content, { found });
  return found;
}

export const jsonMediaType = (content: JsonObject): JsonObject | null => jsonMedia(content)?.media ?? null;
