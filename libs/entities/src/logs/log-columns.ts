import { derivedFacts, type DerivedFacts } from '@gw/analytics';
import type { LogRecord } from '@gw/contracts';
import { storable } from './storable';

type SqlType =
  'uuid' | 'timestamptz' | 'text' | 'integer' | 'bigint' | 'double precision' | 'boolean' | 'jsonb';

/** One column of `request_logs`. */
interface LogColumn {
  readonly sql: SqlType;
  /** The value that is stored of a record: finite, bounded, and of the column's type whatever the record says. */
  readonly of: (record: LogRecord, derived: DerivedFacts) => unknown;
  /** How lists filter by the column. Absent: they do not. */
  readonly filter?: 'value' | 'range';
  /**
   * Number of the column's Bloom filter in the bits of `log_zones.terms`. Stored data: a number is never changed and never
   * used again. Absent: zone maps say nothing about the column's values. A new one needs wider `terms` (a migration).
   */
  readonly zoneBits?: number;
  /** Zone maps keep the lowest and the highest value, in columns of `log_zones` that a migration makes. */
  readonly zoneBounds?: true;
  /** Read for the detail of one log alone. */
  readonly isDetail?: true;
}

/**
 * The request log's columns, declared once: the type of a row, the `COPY` writer, what is read for lists, the filters and the
 * zone maps come from here. A migration makes the column; `log-columns.int-spec.ts` compares the two.
 */
export const LOG_COLUMNS = {
  id: { sql: 'uuid', of: (record) => record.id },
  /** ISO 8601. */
  created_at: {
    sql: 'timestamptz',
    of: (record) => new Date(record.createdAt).toISOString(),
    filter: 'range',
  },
  organisation_id: { sql: 'uuid', of: (record) => record.organisationId },
  workspace_id: { sql: 'uuid', of: (record) => record.workspaceId },
  api_key_id: { sql: 'uuid', of: (record) => record.apiKeyId, filter: 'value', zoneBits: 0 },
  user_id: { sql: 'text', of: (record) => record.userId, filter: 'value', zoneBits: 1 },
  trace_id: { sql: 'text', of: (record) => storable.indexed(record.traceId), filter: 'value' },
  span_id: { sql: 'text', of: (record) => storable.indexed(record.spanId), filter: 'value' },
  parent_span_id: { sql: 'text', of: (record) => storable.indexed(record.parentSpanId), filter: 'value' },
  span_name: {
    sql: 'text',
    of: (record) => storable.indexed(record.spanName),
    filter: 'value',
    zoneBits: 10,
  },
  method: { sql: 'text', of: (record) => record.method, filter: 'value', zoneBits: 11 },
  url: { sql: 'text', of: (record) => record.url },
  route: { sql: 'text', of: (record) => record.route, filter: 'value', zoneBits: 5 },
  status: {
    sql: 'integer',
    of: (record) => storable.count(record.status) ?? 0,
    filter: 'range',
    zoneBounds: true,
    zoneBits: 20,
  },
  outcome: { sql: 'text', of: (record) => record.outcome, filter: 'value', zoneBits: 6 },
  error_type: { sql: 'text', of: (record) => record.errorType, filter: 'value', zoneBits: 7 },
  provider: { sql: 'text', of: (record) => record.provider, filter: 'value', zoneBits: 2 },
  credential: { sql: 'text', of: (record) => record.credential, filter: 'value', zoneBits: 3 },
  integration_id: { sql: 'text', of: (record) => record.integrationId, filter: 'value', zoneBits: 13 },
  model: { sql: 'text', of: (record) => record.model, filter: 'value', zoneBits: 4 },
  response_model: { sql: 'text', of: (record) => record.responseModel, filter: 'value', zoneBits: 12 },
  streamed: { sql: 'boolean', of: (record) => record.streamed, zoneBits: 19 },
  input_tokens: {
    sql: 'bigint',
    of: (record) => storable.count(record.usage?.inputTokens),
    filter: 'range',
    zoneBounds: true,
  },
  output_tokens: {
    sql: 'bigint',
    of: (record) => storable.count(record.usage?.outputTokens),
    filter: 'range',
    zoneBounds: true,
  },
  total_tokens: {
    sql: 'bigint',
    of: (record) => storable.totalTokens(record.usage),
    filter: 'range',
    zoneBounds: true,
  },
  cache_read_tokens: { sql: 'bigint', of: (record) => storable.count(record.usage?.cacheReadTokens) },
  cache_write_tokens: { sql: 'bigint', of: (record) => storable.count(record.usage?.cacheWriteTokens) },
  reasoning_tokens: { sql: 'bigint', of: (record) => storable.count(record.usage?.reasoningTokens) },
  input_audio_tokens: { sql: 'bigint', of: (record) => storable.count(record.usage?.inputAudioTokens) },
  output_audio_tokens: { sql: 'bigint', of: (record) => storable.count(record.usage?.outputAudioTokens) },
  /** 1e-8 USD. */
  cost: { sql: 'bigint', of: (record) => storable.money(record.cost), filter: 'range', zoneBounds: true },
  priced: { sql: 'text', of: (record) => record.priced, filter: 'value', zoneBits: 17 },
  config_id: { sql: 'text', of: (record) => record.configId, filter: 'value', zoneBits: 8 },
  config_version_id: {
    sql: 'text',
    of: (record) => record.configVersionId,
    filter: 'value',
    zoneBits: 14,
  },
  target_path: { sql: 'text', of: (record) => record.targetPath },
  retries: {
    sql: 'integer',
    of: (record) => storable.count(record.retries) ?? 0,
    filter: 'range',
    zoneBounds: true,
  },
  cache_status: { sql: 'text', of: (record) => record.cacheStatus, filter: 'value', zoneBits: 9 },
  metadata: { sql: 'jsonb', of: (record) => record.metadata },
  duration_ms: {
    sql: 'double precision',
    of: (record) => storable.milliseconds(record.durationMs) ?? 0,
    filter: 'range',
    zoneBounds: true,
  },
  first_byte_ms: {
    sql: 'double precision',
    of: (record) => storable.milliseconds(record.firstByteMs),
    filter: 'range',
    zoneBounds: true,
  },
  overhead_ms: {
    sql: 'double precision',
    of: (record) => storable.milliseconds(record.overheadMs) ?? 0,
    filter: 'range',
    zoneBounds: true,
  },
  request_bytes: { sql: 'bigint', of: (record) => storable.count(record.requestBytes) ?? 0 },
  response_bytes: { sql: 'bigint', of: (record) => storable.count(record.responseBytes) ?? 0 },
  request_content_type: { sql: 'text', of: (record) => record.requestContentType },
  response_content_type: { sql: 'text', of: (record) => record.responseContentType },
  request_body_truncated: { sql: 'boolean', of: (record) => record.requestBodyTruncated },
  response_body_truncated: { sql: 'boolean', of: (record) => record.responseBodyTruncated },
  gateway_id: { sql: 'text', of: (record) => record.gatewayId, filter: 'value', zoneBits: 18 },
  prompt_id: {
    sql: 'text',
    of: (record) => record.decision.prompt?.id ?? null,
    filter: 'value',
    zoneBits: 15,
  },
  /** Where the bodies are (`bodyReference`); null: in `request_log_bodies`, or nowhere. Set when the bodies are stored. */
  body_ref: { sql: 'text', of: (): string | null => null },
  request_type: { sql: 'text', of: (_, derived) => derived.request_type },
  prompt_slug: { sql: 'text', of: (_, derived) => derived.prompt_slug, filter: 'value', zoneBits: 16 },
  fell_back: { sql: 'boolean', of: (_, derived) => derived.fell_back },
  /** 1e-8 USD. */
  saved_cost: { sql: 'bigint', of: (_, derived) => storable.money(derived.saved_cost) },
  decision: { sql: 'jsonb', of: (record) => record.decision, isDetail: true },
} as const satisfies Readonly<Record<string, LogColumn>>;

type Columns = typeof LOG_COLUMNS;
export type LogColumnName = keyof Columns;
/** Columns that are declared with all of `Facts`. */
type ColumnsWith<Facts> = {
  [Name in LogColumnName]: Columns[Name] extends Facts ? Name : never;
}[LogColumnName];

export type ValueFilterColumn = ColumnsWith<{ readonly filter: 'value' }>;
export type RangeFilterColumn = ColumnsWith<{ readonly filter: 'range' }>;
/** Columns that the driver reads as text. */
export type BigintColumn = ColumnsWith<{ readonly sql: 'bigint' }>;
/** Columns with a lowest and a highest value in zone maps. */
export type ZoneBoundsColumn = ColumnsWith<{ readonly zoneBounds: true }>;
/** Columns with a Bloom filter in zone maps. */
export type ZoneTermColumn = ColumnsWith<{ readonly zoneBits: number }>;

/** A row of `request_logs` as it is written. */
export type RequestLogRow = { readonly [Name in LogColumnName]: ReturnType<Columns[Name]['of']> };

const ALL = Object.entries(LOG_COLUMNS) as [LogColumnName, LogColumn][];
const namesOf = <Name extends LogColumnName>(isWanted: (column: LogColumn) => boolean): readonly Name[] =>
  ALL.filter(([, column]) => isWanted(column)).map(([name]) => name as Name);

export const REQUEST_LOG_COLUMNS = namesOf(() => true);
/** Without the decision record, which only the detail of one log needs. */
export const REQUEST_LOG_LIST_COLUMNS = namesOf<Exclude<LogColumnName, 'decision'>>(
  ({ isDetail }) => isDetail !== true,
);
export const JSON_COLUMNS: ReadonlySet<string> = new Set(namesOf(({ sql }) => sql === 'jsonb'));
/** Columns that a list may be filtered by value. */
export const LOG_VALUE_FILTERS = namesOf<ValueFilterColumn>(({ filter }) => filter === 'value');
/** Columns other than the time that a list may be filtered by range. Both bounds are included. */
export const LOG_MEASURES = namesOf<Exclude<RangeFilterColumn, 'created_at'>>(
  ({ filter, sql }) => filter === 'range' && sql !== 'timestamptz',
);
export const ZONE_BOUNDS_COLUMNS = namesOf<ZoneBoundsColumn>(({ zoneBounds }) => zoneBounds === true);
export const ZONE_TERM_COLUMNS = namesOf<ZoneTermColumn>(({ zoneBits }) => zoneBits !== undefined);

/** The row of a log record. Its bodies are stored apart from it. */
export function requestLogRow(record: LogRecord): RequestLogRow {
  const derived = derivedFacts(record);
  const row: Partial<Record<LogColumnName, unknown>> = {};
  for (const [name, { of }] of ALL) row[name] = of(record, derived);
  return row as RequestLogRow;
}
