import { isObject } from '@gw/kernel';
import type { JsonObject } from '../protocol';

/** A media type in lower case without its parameters, such as `application/json`. */
export const essenceOf = (type: string): string =>
  (type.slice(0, 256).toLowerCase().split(';')[0] ?? '').trim();

/**
 * Whether a media type is JSON, such as `application/json; charset=utf-8` or
 * `application/problem+json`.
 */
export const isJsonType = (type: string): boolean => {
  const name = essenceOf(type);
  return name === 'application/json' || name.endsWith('+json');
};

/** The first entry of `content` with a fitting media type; null without one. */
export function mediaTypeOf(content: JsonObject, fits: (type: string) => boolean): JsonObject | null {
  const [, found] = Object.entries(content).find(([type]) => fits(type)) ?? [];
  return isObject(found) ? found : null;
}

/** The first JSON media type of `content`; null without one. */
export const jsonMediaType = (content: JsonObject): JsonObject | null => mediaTypeOf(content, isJsonType);
