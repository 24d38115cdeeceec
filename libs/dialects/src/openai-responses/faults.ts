import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../call';
import { readFault } from '../errors/read-fault';
import type { FaultClass, ProviderFault } from '../response';
import { asObject, asString } from '../values/json';

/**
 * Reads the `error` of a response, or an `error` event, which has the members of an error itself.
 */
export function decodeFault(error: JsonObject): ProviderFault {
  const { type, ...members } = error;
  const message = asString(error['message']) ?? 'The provider could not complete the response.';
  return readFault(
    'openai',
    200,
    {},
    {
      error: { ...members, message, ...(type === 'error' ? {} : { type }) },
    },
  );
}

/** Returns the error for a body with status 200 whose response failed. */
export function failedResponse(response: JsonObject): GatewayError {
  const { message, code } = decodeFault(asObject(response['error']) ?? {});
  return new GatewayError('provider_answer_invalid', {
    message,
    ...(code === undefined ? {} : { extra: { provider_code: code } }),
  });
}

/** Codes of the API's failures by fault class; other classes become a server error. */
const FAILURE_CODES: Readonly<Partial<Record<FaultClass, string>>> = {
  rate: 'rate_limit_exceeded',
  invalid: 'invalid_prompt',
  too_large: 'invalid_prompt',
};

/** Writes the `error` of a failed response. */
export const encodeFailure = (fault: ProviderFault): JsonObject => ({
  code: FAILURE_CODES[fault.class] ?? 'server_error',
  message: fault.message,
});
