import { ERRORS, type GatewayError } from '@gw/kernel';
import type { Dialect, ProviderError } from '@gw/providers';

/** Formats an error in the client's dialect: the gateway's shape, or Anthropic's on its messages routes. */
export function errorBody(error: GatewayError, dialect: Dialect, requestId: string): Buffer {
  const body = error.toBody(requestId);
  if (dialect !== 'anthropic') return Buffer.from(JSON.stringify(body));
  const { error: own, ...background } = body;
  return Buffer.from(JSON.stringify({ ...anthropicShape(error.status, own), ...background }));
}

/**
 * Formats the terminal event of an incomplete stream, preceded by the end of an open event if there is one.
 */
export function errorEvent(
  error: GatewayError,
  dialect: Dialect,
  requestId: string,
  openEvent: boolean,
): Buffer {
  const data = errorBody(error, dialect, requestId).toString('utf8');
  const head = dialect === 'anthropic' ? 'event: error\n' : '';
  return Buffer.from(`${openEvent ? '\n\n' : ''}${head}data: ${data}\n\n`);
}

/** Wraps a provider's error in the client's shape: status and message stay, and the body is added. */
export function providerErrorBody(
  read: ProviderError | null,
  original: unknown,
  at: {
    readonly status: number;
    readonly provider: string;
    readonly requestId: string;
    readonly dialect: Dialect;
  },
): Buffer {
  const error = {
    message: read?.message ?? ERRORS.provider_error.message,
    type: read?.type ?? 'provider_error',
    param: read?.param ?? null,
    code: read?.code ?? 'AB04',
    request_id: at.requestId,
    provider: at.provider,
    provider_error: original,
  };
  return Buffer.from(
    JSON.stringify(at.dialect === 'anthropic' ? anthropicShape(at.status, error) : { error }),
  );
}

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

const anthropicShape = (status: number, error: object & { message: string }): object => ({
  type: 'error',
  error: {
    ...error,
    gateway_type: (error as { type?: string }).type,
    type: ANTHROPIC_TYPES[status] ?? 'api_error',
  },
});
