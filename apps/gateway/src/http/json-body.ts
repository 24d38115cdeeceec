import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A body as a JSON object. Throws `body_invalid`: not UTF-8, not JSON, or not an object. */
export function parseJsonObject(body: Buffer): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(body));
  } catch (error) {
    throw new GatewayError('body_invalid', { message: 'The body must be a JSON object.', cause: error });
  }
  if (!isObject(value)) {
    throw new GatewayError('body_invalid', { message: 'The body must be a JSON object.' });
  }
  return value;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
