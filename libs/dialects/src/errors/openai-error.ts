import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../call';
import type { ProviderFault } from '../response';

/** Error types of faults that the gateway itself detects; the type is also their code. */
const OWN = ['provider_answer_invalid', 'stream_interrupted'] as const;

/**
 * Writes an error for clients of OpenAI's dialects, with the provider's type and code next to the
 * gateway's.
 */
export function openAiError(fault: ProviderFault, requestId: string): JsonObject {
  const own = OWN.find((type) => type === fault.code);
  const { message, param, type, code } = fault;
  const body = new GatewayError(own ?? 'provider_error', {
    message,
    ...(param === undefined ? {} : { param }),
    extra: {
      ...(type === undefined ? {} : { provider_type: type }),
      ...(code === undefined || own !== undefined ? {} : { provider_code: code }),
    },
  }).toBody(requestId);
  return { ...body };
}
