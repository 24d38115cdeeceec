import type { LogUnit } from './log-kinds';

/** How lists of logs filter by a column: by any of some values, or between two bounds, which are included. */
export interface LogFilterFacts {
  /** Any of the values, under the column's name. A list: only these values. `uuid`: only UUIDs. */
  readonly anyOf?: 'text' | 'uuid' | readonly string[];
  /** For the API's document. */
  readonly about?: string;
  /** A second name of the parameter, as the public API has it. */
  readonly alias?: { readonly name: string; readonly about: string };
  /** Parameters `<name>_min` and `<name>_max`; `null`: the API has none of its own, or writes them by hand. */
  readonly between?: { readonly name: string; readonly max: number; readonly about: string } | null;
}

/** What every column of the request log declares, whether a gateway sends its value or the store derives it. */
export interface LogColumnFacts {
  /** What the value means, in sentences for the API's document and `docs/log-fields.md`. */
  readonly about: string;
  readonly filter?: LogFilterFacts;
  /**
   * Number of the column's Bloom filter in the bits of `log_zones.terms`. Stored data: a number is never changed and never
   * used again, and all 21 that the width has room for are used. Absent: zone maps say nothing about the column's values, so
   * that a filter by it reads more rows. A new column needs none (decision 0071).
   */
  readonly zoneBits?: number;
  /** Zone maps keep the lowest and the highest value, in columns of `log_zones` that a migration makes. */
  readonly zoneBounds?: true;
  /** Read for the detail of one log alone. */
  readonly isDetail?: true;
  /** The API's lists show it, by this name. Absent: they do not, or by hand. */
  readonly shown?: { readonly as: string; readonly example?: string | number };
  /** Exports may hold it, by this name, at this place among all that they may hold. A new one takes the next free place. */
  readonly exported?: { readonly as: string; readonly place: number };
  /** Its type in the table that analytics have in ClickHouse. Absent: it is not there, or under another name. */
  readonly fact?: FactType;
}

/** `LowCardinality`: a text of which a store has few different values. */
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
  /** Gateways leave the member out where it has this value, as most records have. */
  readonly usual?: unknown;
}
