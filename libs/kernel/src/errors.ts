/**
 * Every error that a caller can receive. The key is the stable `type` of the error body, `code` its
 * family, `message` the default public text. Private facts go into the option `detail` of
 * `GatewayError`, which is logged and never sent.
 */
export const ERRORS = {
  // AB01: invalid requests
  validation_failed: { status: 400, code: 'AB01', message: 'The request is not valid.' },
  body_invalid: { status: 400, code: 'AB01', message: 'The request body is not valid.' },
  body_too_large: {
    status: 413,
    code: 'AB01',
    message: 'The request body is larger than this gateway accepts.',
  },
  body_encoding_unsupported: {
    status: 415,
    code: 'AB01',
    message: 'The content encoding of the body is not supported here.',
  },
  content_type_unsupported: {
    status: 415,
    code: 'AB01',
    message: 'The content type of the body is not supported here.',
  },
  header_invalid: { status: 400, code: 'AB01', message: 'A request header is not valid.' },
  headers_too_large: {
    status: 431,
    code: 'AB01',
    message: 'The request headers are larger than this gateway accepts.',
  },
  request_malformed: { status: 400, code: 'AB01', message: 'The request is not well-formed HTTP.' },
  range_not_satisfiable: {
    status: 416,
    code: 'AB01',
    message: 'The requested range is not part of the content.',
  },
  expectation_failed: {
    status: 417,
    code: 'AB01',
    message: 'The Expect header names something else than 100-continue.',
  },
  request_incomplete: { status: 408, code: 'AB01', message: 'The request did not arrive in time.' },
  sso_connection_invalid: {
    status: 400,
    code: 'AB01',
    message: 'There is no such SSO connection, or it is switched off.',
  },
  config_invalid: { status: 400, code: 'AB01', message: 'The config is not valid.' },
  config_not_found: { status: 400, code: 'AB01', message: 'No such config in this workspace.' },
  config_override_forbidden: {
    status: 400,
    code: 'AB01',
    message: 'This API key does not allow another config than its own.',
  },
  prompt_invalid: { status: 400, code: 'AB01', message: 'The prompt cannot be rendered.' },
  condition_unmatched: {
    status: 400,
    code: 'AB01',
    message: 'No condition of the config matched and it has no default.',
  },
  provider_missing: {
    status: 400,
    code: 'AB01',
    message: 'Name a provider: x-gw-provider, x-gw-virtual-key or x-gw-config is required.',
  },
  provider_unknown: { status: 400, code: 'AB01', message: 'The provider is not known.' },
  provider_key_missing: { status: 400, code: 'AB01', message: 'The provider needs a key.' },
  provider_not_found: { status: 400, code: 'AB01', message: 'No such provider in this workspace.' },
  route_unsupported: { status: 400, code: 'AB01', message: 'The provider does not serve this route.' },
  custom_host_refused: { status: 400, code: 'AB01', message: 'The address is not allowed.' },
  mcp_transport_unsupported: {
    status: 400,
    code: 'AB01',
    message:
      'Programs are never started here; run the MCP server behind a bridge, such as mcp-proxy, and register the URL of the bridge with transport http.',
  },
  agent_transport_unsupported: {
    status: 400,
    code: 'AB01',
    message:
      'The agent has no interface that can be called: JSONRPC or HTTP+JSON of A2A 0.3 or 1.0; register another address of it, or a card with one.',
  },
  inline_config_blocked: {
    status: 400,
    code: 'AB01',
    message: 'Inline configs are blocked here; name a saved config.',
  },
  inline_provider_blocked: {
    status: 400,
    code: 'AB01',
    message: 'Inline providers are blocked here; name a saved provider as @slug.',
  },
  inline_custom_host_blocked: { status: 400, code: 'AB01', message: 'Custom hosts are blocked here.' },
  inline_provider_url_blocked: {
    status: 400,
    code: 'AB01',
    message: 'Provider URLs in the request are blocked here.',
  },
  inline_forward_headers_blocked: {
    status: 400,
    code: 'AB01',
    message: 'Forwarded headers are blocked here.',
  },
  unsupported_by_provider: {
    status: 400,
    code: 'AB01',
    message: 'The provider cannot express this request.',
  },
  sso_logout_refused: {
    status: 400,
    code: 'AB01',
    message: 'The logout was not accepted; the audit log of the organisation says why.',
  },
  // AB02: routes that do not exist
  route_not_found: { status: 404, code: 'AB02', message: 'No such route.' },
  method_not_allowed: { status: 405, code: 'AB02', message: 'The route does not take this method.' },
  upgrade_required: { status: 426, code: 'AB02', message: 'The route is a WebSocket: ask for an upgrade.' },
  // AB03: forbidden
  mfa_required: {
    status: 403,
    code: 'AB03',
    message: 'Your organisation requires a second factor; add one with POST /v1/auth/mfa/totp.',
  },
  sso_login_refused: {
    status: 403,
    code: 'AB03',
    message: 'The login was not accepted; ask an administrator of your organisation.',
  },
  user_not_invited: {
    status: 403,
    code: 'AB03',
    message: 'Only invited users may log in; ask an administrator of your organisation for an invite.',
  },
  forbidden: { status: 403, code: 'AB03', message: 'You are not allowed to do this.' },
  scope_missing: { status: 403, code: 'AB03', message: 'The credential lacks a scope for this.' },
  scope_exceeds_creator: {
    status: 403,
    code: 'AB03',
    message: 'A key cannot hold scopes that its creator lacks.',
  },
  hooks_failed: {
    status: 446,
    code: 'AB03',
    message: 'The guardrail checks defined in the config failed; hook_results says which.',
  },
  mcp_connection_required: {
    status: 403,
    code: 'AB03',
    message: 'The MCP server needs a connection of a user; call it with a credential of a user.',
  },
  tool_pending: {
    status: 403,
    code: 'AB03',
    message: 'The call of the tool needs the approval of a person; status says whether it waits for one.',
  },
  tool_rejected: { status: 403, code: 'AB03', message: 'A person rejected the call of the tool.' },
  feature_disabled: { status: 403, code: 'AB03', message: 'This feature is switched off.' },
  // AB04: failures of the gateway or the provider
  internal_error: { status: 500, code: 'AB04', message: 'Something went wrong on our side.' },
  unavailable: { status: 503, code: 'AB04', message: 'The service cannot respond right now.' },
  gateway_stopping: {
    status: 503,
    code: 'AB04',
    message: 'This gateway is shutting down; send the request again.',
  },
  log_unavailable: {
    status: 503,
    code: 'AB04',
    message:
      'The workspace serves only requests that can be recorded, and this one cannot be now; try again later.',
  },
  provider_error: { status: 502, code: 'AB04', message: 'The provider responded with an error.' },
  mcp_server_unreadable: {
    status: 502,
    code: 'AB04',
    message: 'The MCP server could not be read.',
  },
  agent_unreadable: { status: 502, code: 'AB04', message: 'The card of the agent could not be read.' },
  provider_unreachable: { status: 502, code: 'AB04', message: 'The provider could not be reached.' },
  provider_connections_exhausted: {
    status: 503,
    code: 'AB04',
    message: 'All connections of this gateway to the provider are in use.',
  },
  secret_unavailable: {
    status: 502,
    code: 'AB04',
    message: 'A secret of the provider could not be read from its secret manager.',
  },
  provider_credential_failed: {
    status: 502,
    code: 'AB04',
    message: 'The credential of the provider could not be obtained from its token service.',
  },
  provider_answer_invalid: {
    status: 502,
    code: 'AB04',
    message: 'The provider sent a response that could not be read.',
  },
  provider_redirect: {
    status: 502,
    code: 'AB04',
    message: 'The provider responded with a redirect, which the gateway does not pass on.',
  },
  provider_timeout: { status: 504, code: 'AB04', message: 'The provider did not respond in time.' },
  request_timeout: { status: 408, code: 'AB04', message: 'The request exceeded its request_timeout.' },
  stream_interrupted: {
    status: 502,
    code: 'AB04',
    message: 'The provider ended the stream before it was complete.',
  },
  // AB05: authentication
  unauthenticated: { status: 401, code: 'AB05', message: 'A valid credential is required.' },
  api_key_missing: {
    status: 401,
    code: 'AB05',
    message: 'An API key is required: send it as x-gw-api-key or as Authorization: Bearer.',
  },
  api_key_invalid: { status: 401, code: 'AB05', message: 'The API key is not known.' },
  api_key_expired: { status: 401, code: 'AB05', message: 'The API key has expired.' },
  credential_expired: { status: 401, code: 'AB05', message: 'The provider credential has expired.' },
  // AB06: rate limits
  rate_limited: { status: 429, code: 'AB06', message: 'A rate limit was reached.' },
  // AB07: conflict
  conflict: { status: 409, code: 'AB07', message: 'The change conflicts with what is there.' },
  resource_limit_reached: {
    status: 409,
    code: 'AB07',
    message: 'There are as many resources of this kind as there may be.',
  },
  idempotency_key_reused: {
    status: 422,
    code: 'AB07',
    message: 'This Idempotency-Key was used for another request.',
  },
  idempotency_in_flight: {
    status: 409,
    code: 'AB07',
    message: 'The first request with this Idempotency-Key is still in progress.',
  },
  etag_mismatch: { status: 412, code: 'AB07', message: 'The resource has changed since you read it.' },
  // AB08: not found
  not_found: { status: 404, code: 'AB08', message: 'Not found.' },
  // AB09: exhausted
  budget_exhausted: { status: 412, code: 'AB09', message: 'A budget is exhausted.' },
  model_not_enabled: { status: 412, code: 'AB09', message: 'The model is not enabled for this provider.' },
} as const satisfies Record<string, { status: number; code: `AB0${number}`; message: string }>;

export type ErrorType = keyof typeof ERRORS;

/**
 * One invalid value: `path` in dot notation (`targets.0.weight`), `message` the rule that it
 * breaks.
 */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** The body of every error on both planes. */
export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: ErrorType;
    readonly param: string | null;
    readonly code: string;
    readonly request_id: string | null;
    readonly details?: readonly ErrorDetail[];
    readonly [extra: string]: unknown;
  };
}

export interface GatewayErrorOptions {
  /** Public text without secrets; absent for the default of `ERRORS`. */
  readonly message?: string;
  /** The field or header at fault. */
  readonly param?: string;
  readonly details?: readonly ErrorDetail[];
  /** Public members added to `error`, such as `limit` or `provider_error`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Response headers, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Private facts: logged, never sent. */
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * The only error class that code throws on purpose. Callers receive any other error as
 * `internal_error`.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly status: number;
  readonly code: string;
  constructor(
    readonly type: ErrorType,
    readonly options: GatewayErrorOptions = {},
  ) {
    super(options.message ?? ERRORS[type].message, { cause: options.cause });
    this.status = ERRORS[type].status;
    this.code = ERRORS[type].code;
  }

  toBody(requestId: string | null): ErrorBody {
    const { param, details, extra } = this.options;
    return {
      error: {
        message: this.message,
        type: this.type,
        param: param ?? null,
        code: this.code,
        request_id: requestId,
        ...(details && details.length > 0 ? { details } : {}),
        ...extra,
      },
    };
  }
}

/**
 * Converts any thrown value into an error for callers: returns a GatewayError unchanged, and wraps
 * everything else as `internal_error`.
 */
export function toGatewayError(thrown: unknown): GatewayError {
  return thrown instanceof GatewayError ? thrown : new GatewayError('internal_error', { cause: thrown });
}
