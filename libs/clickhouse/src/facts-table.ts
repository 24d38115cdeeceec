import { latencyBucket, type DerivedFacts } from '@gw/analytics';
import { LOG_FIELDS, type FactType, type LogFieldColumn, type LogFieldRow } from '@gw/contracts';
import { wellFormed } from '@gw/kernel';

/** ClickHouse type of a column and the conversion of its values. */
interface FactColumn {
  readonly type: string;
  /** Converts a value to the JSON of an insert. */
  readonly of: (row: FactRow) => unknown;
}

type Fields = typeof LOG_FIELDS;
type FactField = {
  [Column in LogFieldColumn]: Fields[Column] extends { readonly fact: FactType } ? Column : never;
}[LogFieldColumn];

/** The part of a log row that analytics need. */
export interface FactRow extends DerivedFacts, Pick<LogFieldRow, FactField | 'duration_ms'> {
  readonly id: string;
  readonly created_at: string;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly total_tokens: number | null;
}

/** Returns the text of a column; ClickHouse does not accept halves of surrogate pairs. */
const textOf = (value: unknown): string => wellFormed((value ?? '') as string);
const mapOf = (texts: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts as FactRow['metadata']).map(([name, value]) => [
      wellFormed(name),
      wellFormed(value),
    ]),
  );

/** Conversions of text and metadata columns. Null is stored as the empty text. */
const CONVERSIONS: Partial<Record<FactType, (value: unknown) => unknown>> = {
  String: textOf,
  'LowCardinality(String)': textOf,
  'Map(String, String)': mapOf,
};

const as = (type: FactType, name: keyof FactRow): FactColumn => {
  const convert = CONVERSIONS[type];
  return { type, of: convert === undefined ? (row) => row[name] : (row) => convert(row[name]) };
};

const FIELDS = Object.entries(
  LOG_FIELDS as Readonly<Record<string, { readonly fact?: FactType; readonly about: string }>>,
);

/** The table's columns; the CREATE statement and the rows are built from them. */
const COLUMNS: Readonly<Record<string, FactColumn>> = {
  id: as('String', 'id'),
  created_at: {
    type: "DateTime64(3, 'UTC')",
    of: (row) => new Date(row.created_at).toISOString().slice(0, 23).replace('T', ' '),
  },
  ...Object.fromEntries(
    FIELDS.flatMap(([name, { fact }]) => (fact ? [[name, as(fact, name as FactField)]] : [])),
  ),
  prompt_slug: as('LowCardinality(String)', 'prompt_slug'),
  request_type: as('LowCardinality(String)', 'request_type'),
  fell_back: as('Bool', 'fell_back'),
  hedged: as('Bool', 'hedged'),
  saved_cost: as('Nullable(Int64)', 'saved_cost'),
  input_tokens: as('Nullable(Int64)', 'input_tokens'),
  output_tokens: as('Nullable(Int64)', 'output_tokens'),
  total_tokens: as('Nullable(Int64)', 'total_tokens'),
  duration_us: { type: 'Int64', of: (row) => Math.round(row.duration_ms * 1_000) },
  latency_bucket: { type: 'UInt16', of: (row) => latencyBucket(row.duration_ms) },
};
const ALL = Object.entries(COLUMNS);

/**
 * Creates the table with one row for each request. A repeated row replaces itself, so batches may
 * be repeated; until ClickHouse has merged its parts, `FINAL` does the same for readers.
 */
export const factsTable = (name: string): string => `CREATE TABLE IF NOT EXISTS ${name} (
  ${ALL.map(([column, { type }]) => `${column} ${type}`).join(',\n  ')}
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(created_at)
ORDER BY (organisation_id, workspace_id, created_at, id)
TTL toDateTime(created_at) + INTERVAL 366 DAY`;

/**
 * Adds the columns that a table of an earlier release lacks. Its rows have the empty text or 0
 * there; requests without an outcome are classified by status only.
 */
export const missingColumns = (name: string): string =>
  `ALTER TABLE ${name} ${ALL.map(([column, { type }]) => `ADD COLUMN IF NOT EXISTS ${column} ${type}`).join(', ')}`;

export const factOf = (row: FactRow): Record<string, unknown> =>
  Object.fromEntries(ALL.map(([column, { of }]) => [column, of(row)]));
