import { GatewayError, isObject, parseExact } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import { RESPONSE_READ_EXACTLY, assertResponseReadable } from './read-whole';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a body as a JSON object. Throws `body_invalid` when it is not UTF-8, not JSON, or not an
 * object.
 */
export const parseJsonObject = (body: Buffer): JsonObject => parsedObject(body, JSON.parse);

/**
 * Parses a provider's response that is only serialised again: its numbers keep their spelling.
 * Throws `provider_answer_invalid` when it has too many values, and otherwise as `parseJsonObject`
 * does.
 */
export function parseExactResponse(body: Buffer): JsonObject {
  assertResponseReadable(body, RESPONSE_READ_EXACTLY);
  return parsedObject(body, (text) => parseExact(text, body));
}

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
