import type { JsonObject } from '@gw/providers';

/** More are not looked up; no model has this name, so that the request has no price. */
const OTHERS_MAX = 16;
const UNKNOWN = '';

/** Models that a body lets a router use in the place of `model`, as OpenRouter's `models` does. */
export function otherModelsOf({ models }: JsonObject): readonly string[] {
  if (!Array.isArray(models)) return [];
  const named = models.filter((model) => typeof model === 'string');
  return named.length > OTHERS_MAX || named.length < models.length ? [UNKNOWN] : named;
}
