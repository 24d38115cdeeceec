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

/** Returns the first entry of `content` with a JSON media type; null if there is none. */
export const jsonMediaType = (content: JsonObject): JsonObject | null => mediaTypeOf(content, isJsonType);
