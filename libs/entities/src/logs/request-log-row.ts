import { derivedFacts, type DerivedFacts } from '@gw/analytics';
import type { DecisionRecord, LogRecord, Usage } from '@gw/contracts';

/** A row of `request_logs` as it is written. Times are ISO 8601, money is integers of 1e-8 USD. */
export interface RequestLogRow extends DerivedFacts {
  readonly id: string;
  readonly created_at: string;
  readonly organisation_id: string | null;
  readonly workspace_id: string | null;
  readonly api_key_id: string | null;
  readonly user_id: string | null;
  readonly trace_id: string;
  readonly span_id: string | null;
  readonly parent_span_id: string | null;
  readonly span_name: string | null;
  readonly method: string;
  readonly url: string;
  readonly route: string;
  readonly status: number;
  readonly outcome: LogRecord['outcome'];
  readonly error_type: string | null;
  readonly provider: string | null;
  readonly credential: string | null;
  readonly integration_id: string | null;
  readonly model: string | null;
  readonly response_model: string | null;
  readonly streamed: boolean;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly total_tokens: number | null;
  readonly cache_read_tokens: number | null;
  readonly cache_write_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly input_audio_tokens: number | null;
  readonly output_audio_tokens: number | null;
  readonly cost: number | null;
  readonly priced: LogRecord['priced'];
  readonly config_id: string | null;
  readonly config_version_id: string | null;
  readonly target_path: string | null;
  readonly retries: number;
  readonly cache_status: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly duration_ms: number;
  readonly first_byte_ms: number | null;
  readonly overhead_ms: number;
  readonly request_bytes: number;
  readonly response_bytes: number;
  readonly request_content_type: string | null;
  readonly response_content_type: string | null;
  readonly request_body_truncated: boolean;
  readonly response_body_truncated: boolean;
  readonly gateway_id: string;
  readonly prompt_id: string | null;
  /** Where the bodies are (`bodyReference`); null: in `request_log_bodies`, or nowhere. */
  readonly body_ref: string | null;
  readonly decision: DecisionRecord;
}

/** Sums of millions of them fit into 64 bits: no record may keep those of others from being added up. */
const COUNT_MAX = 1e12;
const COST_MAX = 1e14;
const DURATION_MAX_MS = 1e11;

/** Providers report counts, and not all of them whole ones: nothing they say may keep a record from being stored. */
const whole = (value: number | null | undefined, max = COUNT_MAX): number | null =>
  typeof value === 'number' && Number.isFinite(value)
    ? Math.max(Math.min(Math.round(value), max), 0 - max)
    : null;

const milliseconds = (value: number | null | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? Math.max(Math.min(value, DURATION_MAX_MS), 0) : null;

/** Callers choose trace and span ids; an index entry holds at most some 2,700 bytes. */
const TRACE_TEXT_MAX = 512;
const clipped = <T extends string | null>(value: T): T | string =>
  typeof value === 'string' && value.length > TRACE_TEXT_MAX ? value.slice(0, TRACE_TEXT_MAX) : value;

function usageColumns(usage: Usage | null) {
  const [input, output] = [whole(usage?.inputTokens), whole(usage?.outputTokens)];
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: usage ? (input ?? 0) + (output ?? 0) : null,
    cache_read_tokens: whole(usage?.cacheReadTokens),
    cache_write_tokens: whole(usage?.cacheWriteTokens),
    reasoning_tokens: whole(usage?.reasoningTokens),
    input_audio_tokens: whole(usage?.inputAudioTokens),
    output_audio_tokens: whole(usage?.outputAudioTokens),
  };
}

export function requestLogRow(record: LogRecord): RequestLogRow {
  const facts = derivedFacts(record);
  return {
    id: record.id,
    created_at: new Date(record.createdAt).toISOString(),
    organisation_id: record.organisationId,
    workspace_id: record.workspaceId,
    api_key_id: record.apiKeyId,
    user_id: record.userId,
    trace_id: clipped(record.traceId),
    span_id: clipped(record.spanId),
    parent_span_id: clipped(record.parentSpanId),
    span_name: clipped(record.spanName),
    method: record.method,
    url: record.url,
    route: record.route,
    status: whole(record.status) ?? 0,
    outcome: record.outcome,
    error_type: record.errorType,
    provider: record.provider,
    credential: record.credential,
    integration_id: record.integrationId,
    model: record.model,
    response_model: record.responseModel,
    streamed: record.streamed,
    ...usageColumns(record.usage),
    cost: whole(record.cost, COST_MAX),
    priced: record.priced,
    config_id: record.configId,
    config_version_id: record.configVersionId,
    target_path: record.targetPath,
    retries: whole(record.retries) ?? 0,
    cache_status: record.cacheStatus,
    metadata: record.metadata,
    duration_ms: milliseconds(record.durationMs) ?? 0,
    first_byte_ms: milliseconds(record.firstByteMs),
    overhead_ms: milliseconds(record.overheadMs) ?? 0,
    request_bytes: whole(record.requestBytes) ?? 0,
    response_bytes: whole(record.responseBytes) ?? 0,
    request_content_type: record.requestContentType,
    response_content_type: record.responseContentType,
    request_body_truncated: record.requestBodyTruncated,
    response_body_truncated: record.responseBodyTruncated,
    gateway_id: record.gatewayId,
    prompt_id: record.decision.prompt?.id ?? null,
    body_ref: null,
    ...facts,
    saved_cost: whole(facts.saved_cost, COST_MAX),
    decision: record.decision,
  };
}

/** Without the decision record, which only the detail of one log needs. */
export const REQUEST_LOG_LIST_COLUMNS = [
  'id',
  'created_at',
  'organisation_id',
  'workspace_id',
  'api_key_id',
  'user_id',
  'trace_id',
  'span_id',
  'parent_span_id',
  'span_name',
  'method',
  'url',
  'route',
  'status',
  'outcome',
  'error_type',
  'provider',
  'credential',
  'integration_id',
  'model',
  'response_model',
  'streamed',
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'input_audio_tokens',
  'output_audio_tokens',
  'cost',
  'priced',
  'config_id',
  'config_version_id',
  'target_path',
  'retries',
  'cache_status',
  'metadata',
  'duration_ms',
  'first_byte_ms',
  'overhead_ms',
  'request_bytes',
  'response_bytes',
  'request_content_type',
  'response_content_type',
  'request_body_truncated',
  'response_body_truncated',
  'gateway_id',
  'prompt_id',
  'body_ref',
  'request_type',
  'prompt_slug',
  'fell_back',
  'saved_cost',
] as const satisfies readonly (keyof RequestLogRow)[];

export const REQUEST_LOG_COLUMNS = [...REQUEST_LOG_LIST_COLUMNS, 'decision'] as const;
