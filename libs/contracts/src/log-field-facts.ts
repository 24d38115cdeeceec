import type { LogUnit } from './log-kinds';

/**
 * Describes how lists of logs filter by a column: by a set of values, or between two inclusive
 * bounds.
 */
export interface LogFilterFacts {
  /**
   * Allowed values of the parameter, which has the column's name. A list: only these values.
   * `uuid`: only UUIDs.
   */
  readonly anyOf?: 'text' | 'uuid' | readonly string[];
  /** Description in the API document. */
  readonly about?: string;
  /** A second name of the parameter, used by the public API. */
  readonly alias?: { readonly name: string; readonly about: string };
  /**
   * Parameters `<name>_min` and `<name>_max`. Null: the API has none, or declares them separately.
   */
  readonly between?: { readonly name: string; readonly max: number; readonly about: string } | null;
}

/**
 * Facts about a column of the request log, whether a gateway sends its value or the store derives
 * it.
 */
export interface LogColumnFacts {
  /** The meaning of the value, in sentences for the API document and `docs/log-fields.md`. */
  readonly about: string;
  readonly filter?: LogFilterFacts;
  /**
   * Number of the column's Bloom filter in the bits of `log_zones.terms`. It is stored data: never
   * change or reuse a number, and all 21 numbers that fit are in use. Absent: zone maps do not
   * cover the column, so a filter by it reads more rows. A new column needs none (decision 0071).
   */
  readonly zoneBits?: number;
  /**
   * Whether zone maps keep the lowest and the highest value, in columns of `log_zones` that a
   * migration adds.
   */
  readonly zoneBounds?: true;
  /** Whether only the detail view of one log reads the column. */
  readonly isDetail?: true;
  /** Name in the API's lists. Absent: the lists omit the column, or map it separately. */
  readonly shown?: { readonly as: string; readonly example?: string | number };
  /**
   * Name in exports, and its place in the list of all exportable fields. A new field takes the next
   * free place.
   */
  readonly exported?: { readonly as: string; readonly place: number };
  /**
   * Type in the table of analytics in ClickHouse. Absent: the table does not have it, or under
   * another name.
   */
  readonly fact?: FactType;
}

/** `LowCardinality` is a text of which a store has few different values. */
export type FactType =
  'String' | 'LowCardinality(String)' | 'Map(String, String)' | 'Int32' | 'Nullable(Int64)' | 'Bool';

export interface LogFieldFacts extends LogColumnFacts {
  /** Name in the record that a gateway sends. */
  readonly member: string;
  readonly kind: {
    readonly sql: string;
    readonly unit?: LogUnit;
    readonly salvage: (value: unknown) => unknown;
    readonly store: (value: never) => unknown;
  };
  /** The most frequent value, with which gateways omit the member. Absent: never omitted. */
  readonly usual?: unknown;
}
