import { classOfStatus, FAULT_WORDS } from '@gw/dialects';
import { ERRORS, isObject, type GatewayError } from '@gw/kernel';
import type { Dialect, JsonObject, ProviderError } from '@gw/providers';

interface ShownError {
  readonly message: string;
}

/** Functions that give an error the form of a dialect, by the client's dialect. */
const SHAPES: Readonly<Record<Dialect, (status: number, error: ShownError) => object>> = {
  openai: (_status, error) => ({ error }),
  anthropic: anthropicShape,
  gemini: geminiShape,
};

/** Formats an error in the client's dialect: the gateway's shape, Anthropic's or Google's. */
export function errorBody(error: GatewayError, dialect: Dialect, requestId: string): Buffer {
  const { error: own, ...background } = error.toBody(requestId);
  return Buffer.from(JSON.stringify({ ...SHAPES[dialect](error.status, own), ...background }));
}

/** Whether a provider's error is in the client's dialect already, and stays unchanged. */
export function isInDialect(dialect: Dialect, original: JsonObject): boolean {
  if (dialect === 'anthropic') return original['type'] === 'error';
  const { error } = original;
  return dialect === 'gemini' && isObject(error) && typeof error['status'] === 'string';
}

/**
 * Formats the terminal event of an incomplete stream, preceded by the end of an open event if there
 * is one.
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

/**
 * Wraps a provider's error in the client's shape: status and message stay, and the body is added.
 */
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
  return Buffer.from(JSON.stringify(SHAPES[at.dialect](at.status, error)));
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

function anthropicShape(status: number, error: ShownError): object {
  return {
    type: 'error',
    error: {
      ...error,
      gateway_type: (error as { type?: string }).type,
      type: ANTHROPIC_TYPES[status] ?? 'api_error',
    },
  };
}

/**
 * Gives an error Google's form. Google's clients read `code`, `message` and `status`; the gateway's
 * own members follow.
 */
function geminiShape(status: number, error: ShownError): object {
  const { type, code: own, message, ...more } = error as ShownError & { type?: string; code?: unknown };
  const name = status === 412 ? 'FAILED_PRECONDITION' : FAULT_WORDS[classOfStatus(status)].google;
  return { error: { code: status, message, status: name, gateway_type: type, gateway_code: own, ...more } };
}
