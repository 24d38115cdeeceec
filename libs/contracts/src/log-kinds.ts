import { UUID } from '@gw/kernel';

export type LogSqlType =
  'uuid' | 'timestamptz' | 'text' | 'integer' | 'bigint' | 'double precision' | 'boolean' | 'jsonb';

export type LogUnit = '1e-8 USD' | 'milliseconds' | 'bytes' | 'tokens';

/** How a field of the request log is parsed and stored. */
export interface LogKind<Sql extends LogSqlType, Value, Stored> {
  readonly sql: Sql;
  readonly unit?: LogUnit;
  /**
   * Returns a value of this kind for any input from a damaged record. Drops free text and values
   * that may be large.
   */
  readonly salvage: (value: unknown) => Value;
  /**
   * Returns a value that the column can store: finite, bounded, of the column's type. Accepts
   * values of other types at run time.
   */
  readonly store: (value: Value) => Stored;
}

/**
 * Bounds that keep sums of millions of values within 64 bits, so that one record cannot break the
 * sum of all.
 */
const COUNT_MAX = 1e12;
const MONEY_MAX = 1e14;
const DURATION_MAX_MS = 1e11;
/** Callers choose trace and span ids, and an index entry has at most about 2,700 bytes. */
const INDEXED_TEXT_MAX = 512;
/** Largest value of a 32-bit column. */
const SMALL_MAX = 2 ** 31 - 1;

/**
 * Rounds a number and limits it to ±`max`. Returns null for anything but a finite number. Some
 * counts of providers are not integers.
 */
const whole = (value: number | null | undefined, max: number): number | null =>
  typeof value === 'number' && Number.isFinite(value)
    ? Math.max(Math.min(Math.round(value), max), 0 - max)
    : null;

/** Functions that convert any value of a record to one that a column can store. */
export const storable = {
  count: (value: number | null | undefined): number | null => whole(value, COUNT_MAX),
  /** 1e-8 USD. */
  money: (value: number | null): number | null => whole(value, MONEY_MAX),
  /** Not negative. */
  milliseconds: (value: number | null): number | null =>
    typeof value === 'number' && Number.isFinite(value)
      ? Math.max(Math.min(value, DURATION_MAX_MS), 0)
      : null,
};

/** Cuts a caller's text for an indexed column to its first 512 characters. */
const indexed = <T extends string | null>(value: T): T | string =>
  typeof value === 'string' && value.length > INDEXED_TEXT_MAX ? value.slice(0, INDEXED_TEXT_MAX) : value;

const kind = <Sql extends LogSqlType, Value, Stored>(
  sql: Sql,
  salvage: (value: unknown) => Value,
  store: (value: Value) => Stored,
  unit?: LogUnit,
): LogKind<Sql, Value, Stored> => ({ sql, salvage, store, ...(unit && { unit }) });

const same = <T>(value: T): T => value;
const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, INDEXED_TEXT_MAX) : null;
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const textOr =
  <T extends string>(otherwise: T) =>
  (value: unknown): T =>
    (textOrNull(value) ?? otherwise) as T;

export const LOG_KIND = {
  uuidOrNull: kind(
    'uuid',
    (value): string | null => (typeof value === 'string' && UUID.test(value) ? value : null),
    same,
  ),
  text: kind('text', textOr<string>(''), same),
  textOrNull: kind('text', textOrNull, same),
  /** One value of a closed list; `otherwise` if a record has none. */
  oneOf: <T extends string>(_values: readonly T[], otherwise: T): LogKind<'text', T, T> =>
    kind('text', textOr<T>(otherwise), same),
  /** Text that is dropped from damaged records. */
  freeText: kind('text', (): string => '', same),
  indexedText: kind('text', textOr<string>(''), indexed),
  indexedTextOrNull: kind('text', textOrNull, indexed),
  flag: kind('boolean', (value): boolean => value === true, same),
  /** Whether a body was truncated. True for damaged records, whose bodies are dropped. */
  cut: kind('boolean', (): boolean => true, same),
  smallCount: kind(
    'integer',
    (value): number => Math.min(Math.max(numberOf(value), 0), SMALL_MAX),
    (value) => Math.min(Math.max(storable.count(value) ?? 0, -SMALL_MAX), SMALL_MAX),
  ),
  bytes: kind('bigint', numberOf, (value) => storable.count(value) ?? 0, 'bytes'),
  moneyOrNull: kind('bigint', numberOrNull, storable.money, '1e-8 USD'),
  milliseconds: kind(
    'double precision',
    numberOf,
    (value) => storable.milliseconds(value) ?? 0,
    'milliseconds',
  ),
  millisecondsOrNull: kind('double precision', numberOrNull, storable.milliseconds, 'milliseconds'),
  texts: kind('jsonb', (): Readonly<Record<string, string>> => ({}), same),
} as const;
