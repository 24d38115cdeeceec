import { derivedFacts, type DerivedFacts } from '@gw/analytics';
import {
  LOG_FIELDS,
  storable,
  type LogColumnFacts,
  type LogFieldColumn,
  type LogRecord,
  type LogUnit,
  type Usage,
} from '@gw/contracts';

/** One column of `request_logs`. */
interface LogColumn extends LogColumnFacts {
  readonly sql: string;
  readonly unit?: LogUnit;
  /**
   * Returns the stored value for a record. Numbers are finite and bounded, whatever the record
   * contains. Other values may have a wrong type, which Postgres may refuse, because only the id
   * and the time were validated when the record was read. Throws if the record has no decision.
   */
  readonly of: (record: LogRecord, derived: DerivedFacts) => unknown;
}

const tokens = (about: string, of: (usage: Usage | null) => number | null | undefined) => ({
  sql: 'bigint' as const,
  unit: 'tokens' as const,
  about: `${about} Null: the provider reported no usage.`,
  of: ({ usage }: LogRecord): number | null => storable.count(of(usage)),
});

const BETWEEN = { filter: { between: null }, zoneBounds: true } as const;

/**
 * Columns that are not declared in `LOG_FIELDS`: the id and the time, usage, values from the
 * decision record, and the reference to bodies, which the store fills itself.
 */
const DERIVED_COLUMNS = {
  id: {
    sql: 'uuid',
    about: 'Id of the log.',
    exported: { as: 'id', place: 1 },
    of: (record) => record.id,
  },
  /** ISO 8601. */
  created_at: {
    sql: 'timestamptz',
    about: 'When the request began.',
    exported: { as: 'created_at', place: 3 },
    of: (record) => new Date(record.createdAt).toISOString(),
    filter: { between: null },
  },
  input_tokens: {
    ...tokens('Input of all calls, cached input included.', (usage) => usage?.inputTokens),
    exported: { as: 'req_units', place: 9 },
    ...BETWEEN,
  },
  output_tokens: {
    ...tokens('Output, reasoning included.', (usage) => usage?.outputTokens),
    exported: { as: 'res_units', place: 10 },
    ...BETWEEN,
  },
  total_tokens: {
    ...tokens('Input and output.', (usage) => totalTokens(usage)),
    exported: { as: 'total_units', place: 11 },
    ...BETWEEN,
  },
  cache_read_tokens: tokens(
    'Input that the provider read from its cache.',
    (usage) => usage?.cacheReadTokens,
  ),
  cache_write_tokens: tokens(
    'Input that the provider wrote to its cache.',
    (usage) => usage?.cacheWriteTokens,
  ),
  reasoning_tokens: tokens('Output that is reasoning.', (usage) => usage?.reasoningTokens),
  input_audio_tokens: tokens('Input that is audio.', (usage) => usage?.inputAudioTokens),
  output_audio_tokens: tokens('Output that is audio.', (usage) => usage?.outputAudioTokens),
  prompt_id: {
    sql: 'text',
    about: 'Id of the saved prompt.',
    of: (record) => record.decision.prompt?.id ?? null,
    filter: { anyOf: 'text', about: 'Ids of prompts.' },
    zoneBits: 15,
  },
  /** Null in a new row; set when the bodies are stored. */
  body_ref: {
    sql: 'text',
    about: 'Where the bodies are kept. Null: in the database, or nowhere.',
    of: (): string | null => null,
  },
  request_type: {
    sql: 'text',
    about: 'Whether a model, an MCP server or an agent was called: `llm`, `mcp`, `a2a`.',
    of: (_, derived) => derived.request_type,
  },
  prompt_slug: {
    sql: 'text',
    about: 'Slug of the saved prompt.',
    exported: { as: 'prompt_slug', place: 19 },
    of: (_, derived) => derived.prompt_slug,
    filter: { anyOf: 'text', about: 'Slugs of prompts.' },
    zoneBits: 16,
  },
  fell_back: {
    sql: 'boolean',
    about: 'Whether another target had been called before the one that answered.',
    of: (_, derived) => derived.fell_back,
  },
  hedged: {
    sql: 'boolean',
    about: 'Whether a second call was started because the first one was slow (strategy `hedge`).',
    exported: { as: 'hedged', place: 24 },
    of: (_, derived) => derived.hedged,
  },
  saved_cost: {
    sql: 'bigint',
    unit: '1e-8 USD',
    about: 'Cost that the cache saved. Null: none, or it is not known.',
    of: (_, derived) => storable.money(derived.saved_cost),
  },
  decision: {
    sql: 'jsonb',
    about: 'Decision record: why the request went where it went.',
    of: (record) => record.decision,
    isDetail: true,
  },
} as const satisfies Readonly<Record<string, LogColumn>>;

/** Returns the sum of input and output; null if the provider reported no usage. */
function totalTokens(usage: Usage | null): number | null {
  if (!usage) return null;
  return (storable.count(usage.inputTokens) ?? 0) + (storable.count(usage.outputTokens) ?? 0);
}

type Fields = typeof LOG_FIELDS;
type FieldColumns = {
  readonly [Name in LogFieldColumn]: Omit<Fields[Name], 'kind' | 'member' | 'usual'> & {
    readonly sql: Fields[Name]['kind']['sql'];
    readonly unit?: LogUnit;
    readonly of: (record: LogRecord) => ReturnType<Fields[Name]['kind']['store']>;
  };
};

const FIELD_COLUMNS = Object.fromEntries(
  Object.entries(LOG_FIELDS).map(([name, { kind, member, ...facts }]) => [
    name,
    {
      ...facts,
      sql: kind.sql,
      ...(kind.unit && { unit: kind.unit }),
      of: (record: LogRecord) => kind.store(record[member] as never),
    },
  ]),
) as unknown as FieldColumns;

/**
 * All columns of the request log. The row type, the `COPY` writer, the columns of lists, the
 * filters, the zone maps and the exports are derived from this object. A migration creates each
 * column; `log-columns.int-spec.ts` compares the two.
 */
export const LOG_COLUMNS = { ...FIELD_COLUMNS, ...DERIVED_COLUMNS };

type Columns = typeof LOG_COLUMNS;
export type LogColumnName = keyof Columns;
/** Names of the columns whose declaration has the members of `Facts`. */
type ColumnsWith<Facts> = {
  [Name in LogColumnName]: Columns[Name] extends Facts ? Name : never;
}[LogColumnName];

export type ValueFilterColumn = ColumnsWith<{ readonly filter: { readonly anyOf: unknown } }>;
export type RangeFilterColumn = ColumnsWith<{ readonly filter: { readonly between: unknown } }>;
export type LogMeasure = Exclude<RangeFilterColumn, 'created_at'>;
/** Columns that the driver returns as text. */
export type BigintColumn = ColumnsWith<{ readonly sql: 'bigint' }>;
/** Columns whose minimum and maximum zone maps hold. */
export type ZoneBoundsColumn = ColumnsWith<{ readonly zoneBounds: true }>;
/** Columns for which zone maps hold a Bloom filter. */
export type ZoneTermColumn = ColumnsWith<{ readonly zoneBits: number }>;

/** Columns that exports can contain. */
export type ExportedColumn = ColumnsWith<{ readonly exported: unknown }>;
/** The name of a column in exports. */
export type ExportedName = {
  [Name in ExportedColumn]: Columns[Name] extends { readonly exported: { readonly as: infer As } }
    ? As
    : never;
}[ExportedColumn];

/** A row of `request_logs` as the worker inserts it. */
export type RequestLogRow = { readonly [Name in LogColumnName]: ReturnType<Columns[Name]['of']> };

const ALL = Object.entries(LOG_COLUMNS) as [LogColumnName, LogColumn][];
const namesOf = <Name extends LogColumnName>(isWanted: (column: LogColumn) => boolean): readonly Name[] =>
  ALL.filter(([, column]) => isWanted(column)).map(([name]) => name as Name);

export const REQUEST_LOG_COLUMNS = namesOf(() => true);
/** Columns of lists: all but the decision record, which only the detail view of one log needs. */
export const REQUEST_LOG_LIST_COLUMNS = namesOf<Exclude<LogColumnName, 'decision'>>(
  ({ isDetail }) => isDetail !== true,
);
export const JSON_COLUMNS: ReadonlySet<string> = new Set(namesOf(({ sql }) => sql === 'jsonb'));
/** Columns by whose values a list can be filtered. */
export const LOG_VALUE_FILTERS = namesOf<ValueFilterColumn>(({ filter }) => filter?.anyOf !== undefined);
/** Columns other than the time by whose range a list can be filtered. Both bounds are included. */
export const LOG_MEASURES = namesOf<LogMeasure>(
  ({ filter, sql }) => filter?.between !== undefined && sql !== 'timestamptz',
);
export const ZONE_BOUNDS_COLUMNS = namesOf<ZoneBoundsColumn>(({ zoneBounds }) => zoneBounds === true);
export const ZONE_TERM_COLUMNS = namesOf<ZoneTermColumn>(({ zoneBits }) => zoneBits !== undefined);

/** Columns that exports can contain. */
export const EXPORTED_COLUMNS = ALL.flatMap(([name, { sql, unit, exported }]) =>
  exported
    ? [
        {
          column: name as ExportedColumn,
          sql: sql as Columns[ExportedColumn]['sql'],
          isMoney: unit === '1e-8 USD',
          as: exported.as as ExportedName,
          place: exported.place,
        },
      ]
    : [],
);

/** Returns the row of a log record. Its bodies are stored separately. */
export function requestLogRow(record: LogRecord): RequestLogRow {
  const derived = derivedFacts(record);
  const row: Partial<Record<LogColumnName, unknown>> = {};
  for (const [name, { of }] of ALL) row[name] = of(record, derived);
  return row as RequestLogRow;
}
