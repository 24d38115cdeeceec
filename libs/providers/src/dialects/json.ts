import type { JsonObject } from '../provider';

/** Returns the value as a JSON object; null for everything else, including arrays. */
export const asObject = (value: unknown): JsonObject | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;

export const asString = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/**
 * Parses JSON that must be an object. Returns null for anything else, so that invalid provider
 * bytes never throw.
 */
export function parseObject(json: string): JsonObject | null {
  try {
    return asObject(JSON.parse(json));
  } catch {
    return null;
  }
}
