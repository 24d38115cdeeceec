import type { JsonObject, ProviderError } from '../../provider';
import { asObject, asString } from '../json';

/** `{ type: "error", error: { type, message } }`, the same in an answer and in a stream. */
export function anthropicError(body: JsonObject): ProviderError | null {
  const error = asObject(body['error']);
  if (error === null) return null;
  return {
    message: asString(error['message']) ?? 'The provider gave no message.',
    type: asString(error['type']),
    code: null,
  };
}
