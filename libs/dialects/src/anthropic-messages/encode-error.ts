import type { JsonObject } from '../call';
import { anthropicError } from '../errors/classes';
import type { ProviderFault } from '../response';

export const encodeError = (fault: ProviderFault, requestId: string): JsonObject => ({
  type: 'error',
  error: anthropicError(fault),
  request_id: requestId,
});
