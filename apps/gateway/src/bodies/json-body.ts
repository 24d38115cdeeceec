import { GatewayError, isObject, parseExact } from '@gw/kernel';
import type { JsonObject, Translator } from '@gw/providers';
import { RESPONSE_READ_EXACTLY, RESPONSE_READ_WHOLE, assertResponseReadable } from './read-whole';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a body as a JSON object. Throws `body_invalid` when it is not UTF-8, not JSON, or not an
 * object.
 */
export const parseJsonObject = (body: Buffer): JsonObject => parsedObject(body, JSON.parse);

/**
 * Runs work that rewrites a request's body. Throws `body_invalid` for a body that has more levels
 * than the stack, which takes a few KiB.
 */
export function withinStack<Result>(rewrite: () => Result): Result {
  try {
    return rewrite();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new GatewayError('body_invalid', {
      message: 'The objects and lists of the body are nested too deep to be rewritten; send a flatter one.',
      cause,
    });
  }
}

/**
 * Parses a provider's response for its translator. Its numbers keep their spelling, unless the
 * translator only reads them. Throws `provider_answer_invalid` when it has too many values, and
 * otherwise as `parseJsonObject` does.
 */
export function parseTranslated({ isNumeric = false }: Translator, body: Buffer): JsonObject {
  assertResponseReadable(body, isNumeric ? RESPONSE_READ_WHOLE : RESPONSE_READ_EXACTLY);
  return isNumeric ? parseJsonObject(body) : parsedObject(body, (text) => parseExact(text, body));
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
