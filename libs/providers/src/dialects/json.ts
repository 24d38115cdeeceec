import type { JsonObject } from '../provider';

/** The value as a JSON object, or null for everything else (arrays included). */
export const asObject = (value: unknown): JsonObject | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;

export const asString = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Parses UTF-8 JSON that must be an object; null for anything else, so that a provider's bad bytes never throw. */
export function parseObject(json: string): JsonObject | null {
  try {
    return asObject(JSON.parse(json));
  } catch {
    return null;
  }
}
