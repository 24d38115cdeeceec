import { asObject, asString } from '@gw/dialects';
import type { JsonObject, ProviderError } from '../../provider';

/**
 * Reads `{ type: "error", error: { type, message } }`, which is the same in a response and in a
 * stream.
 */
export function anthropicError(body: JsonObject): ProviderError | null {
  const error = asObject(body['error']);
  if (error === null) return null;
  return {
    message: asString(error['message']) ?? 'The provider gave no error message.',
    type: asString(error['type']),
    code: null,
  };
}
