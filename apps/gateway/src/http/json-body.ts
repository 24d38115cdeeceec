import { GatewayError } from '@gw/kernel';
import { parseExact, type JsonObject } from '@gw/providers';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A body as a JSON object. Throws `body_invalid`: not UTF-8, not JSON, or not an object. */
export const parseJsonObject = (body: Buffer): JsonObject => parsedObject(body, JSON.parse);

/** As `parseJsonObject`, for what is only written again: numbers stay as they were written. */
export const parseExactObject = (body: Buffer): JsonObject => parsedObject(body, parseExact);

function parsedObject(body: Buffer, parse: (text: string) => unknown): JsonObject {
  let value: unknown;
  try {
    value = parse(utf8.decode(body));
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
