import type { AttemptRecord } from '@gw/contracts';
import type { RequestLogRow } from '@gw/log-store';
import { PROVIDERS } from '@gw/providers';
import { callSpanId, spanIdOf, traceIdOf } from '@gw/telemetry';
import { SpanKind, type Attributes } from '@opentelemetry/api';
import { present, type Values } from './attribute-values';
import { mcpAttributes, mcpError, mcpSpanName } from './mcp-spans';

/** A completed span. Times are in milliseconds since 1970. */
export interface EndedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  /** The error; null for a success and for a mistake of the client. */
  readonly error: string | null;
}

const OPERATIONS: Readonly<Record<string, string>> = {
  'chat.completions': 'chat',
  messages: 'chat',
  responses: 'chat',
  completions: 'text_completion',
  embeddings: 'embeddings',
};

/** Provider names in the semantic conventions. */
const telemetryName = (id: string): string => PROVIDERS.get(id)?.telemetryName ?? id;

/** Maximum number of attempts of one request that get a span. */
const ATTEMPTS_MAX = 20;
/** Outcomes that are errors of the gateway or provider, whatever status was sent before. */
const BROKEN: ReadonlySet<string> = new Set(['interrupted', 'failed']);

/**
 * Returns the spans of one request according to the semantic conventions for generative AI and MCP:
 * a server span for the request and, below it, a client span for each call of a provider or server.
 * Spans contain no bodies and no metadata.
 */
export function requestSpans(row: RequestLogRow): EndedSpan[] {
  const startedAt = Date.parse(row.created_at);
  const traceId = traceIdOf(row.trace_id);
  const spanId = row.span_id === null ? spanIdOf(row.id) : spanIdOf(row.span_id);
  const operation = OPERATIONS[row.route] ?? row.route;
  const request: EndedSpan = {
    traceId,
    spanId,
    parentId: row.parent_span_id === null ? null : spanIdOf(row.parent_span_id),
    name: row.span_name ?? mcpSpanName(row) ?? spanName(operation, row.model),
    kind: SpanKind.SERVER,
    startedAt,
    endedAt: startedAt + Math.max(0, row.duration_ms),
    attributes: present({
      ...requestAttributes(row),
      ...(mcpAttributes(row) ?? responseAttributes(row, operation)),
    }),
    error:
      mcpError(row) ??
      (row.status >= 500 || BROKEN.has(row.outcome) ? (row.error_type ?? String(row.status)) : null),
  };
  const attempts: unknown = row.decision.attempts;
  if (!Array.isArray(attempts)) return [request];
  const called = (attempts as AttemptRecord[]).filter(({ end }) => end !== 'skipped').slice(0, ATTEMPTS_MAX);
  return [request, ...called.map((attempt, at) => attemptSpan(request, row, operation, attempt, at))];
}

function attemptSpan(
  request: EndedSpan,
  row: RequestLogRow,
  operation: string,
  attempt: AttemptRecord,
  at: number,
): EndedSpan {
  const startedAt = request.startedAt + Math.max(0, attempt.startedMs);
  const responded = attempt.end === 'answered';
  const failed = !responded && attempt.end !== 'cancelled' && attempt.end !== 'client_closed';
  return {
    traceId: request.traceId,
    // The gateway sends this id to MCP servers. It counts skipped attempts too, which `at` leaves
    // out; MCP requests have none.
    spanId: callSpanId(row.id, at),
    parentId: request.spanId,
    name: mcpSpanName(row) ?? spanName(operation, attempt.model ?? row.model),
    kind: SpanKind.CLIENT,
    startedAt,
    endedAt: startedAt + Math.max(0, attempt.durationMs),
    attributes: present({
      ...(mcpAttributes(row) ?? {
        'gen_ai.operation.name': operation,
        'gen_ai.provider.name': telemetryName(attempt.provider),
        'gen_ai.request.model': attempt.model ?? row.model,
        ...(responded ? usageAttributes(row) : {}),
      }),
      'http.response.status_code': attempt.status,
      ...(failed && { 'error.type': attempt.end }),
      'tollgate.attempt.target': attempt.target,
      'tollgate.attempt.retry': attempt.retry,
      'tollgate.attempt.end': attempt.end,
    }),
    error: failed ? (attempt.reason ?? attempt.end) : null,
  };
}

const spanName = (operation: string, model: string | null): string =>
  model === null ? operation : `${operation} ${model.slice(0, 100)}`;

const requestAttributes = (row: RequestLogRow): Values => ({
  'http.request.method': row.method,
  'http.route': row.route,
  'http.response.status_code': row.status,
  'error.type': row.error_type,
  'tollgate.request.id': row.id,
  'tollgate.trace.id': row.trace_id,
  'tollgate.organisation.id': row.organisation_id,
  'tollgate.workspace.id': row.workspace_id,
  'tollgate.api_key.id': row.api_key_id,
  'tollgate.outcome': row.outcome,
  'tollgate.config.id': row.config_id,
  'tollgate.cache.status': row.cache_status,
  'tollgate.cost.usd': row.cost === null ? null : row.cost / 1e8,
  'tollgate.overhead.ms': row.overhead_ms,
  'tollgate.gateway.id': row.gateway_id,
});

const responseAttributes = (row: RequestLogRow, operation: string): Values => ({
  'gen_ai.operation.name': operation,
  'gen_ai.provider.name': row.provider === null ? null : telemetryName(row.provider),
  'gen_ai.request.model': row.model,
  ...usageAttributes(row),
  'gen_ai.server.time_to_first_token': row.first_byte_ms === null ? null : row.first_byte_ms / 1_000,
});

const usageAttributes = (row: RequestLogRow): Values => ({
  'gen_ai.response.model': row.response_model,
  'gen_ai.usage.input_tokens': row.input_tokens,
  'gen_ai.usage.output_tokens': row.output_tokens,
  'gen_ai.usage.cache_read.input_tokens': row.cache_read_tokens === 0 ? null : row.cache_read_tokens,
});
