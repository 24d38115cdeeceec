import type { JsonObject } from '@gw/providers';

/**
 * Maximum number of models that are looked up. If there are more, or one is not a string, only
 * `UNKNOWN` is returned: no model has this name, so the request has no price.
 */
const OTHERS_MAX = 16;
const UNKNOWN = '';

/**
 * Returns models that a body allows a router to use instead of `model`, as OpenRouter's `models`
 * does.
 */
export function otherModelsOf({ models }: JsonObject): readonly string[] {
  if (!Array.isArray(models)) return [];
  const named = models.filter((model) => typeof model === 'string');
  return named.length > OTHERS_MAX || named.length < models.length ? [UNKNOWN] : named;
}
