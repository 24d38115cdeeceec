import { LOG_FIELDS, type LogFieldColumn } from '@gw/contracts';
import type { StoredRequestLog } from '@gw/log-store';
import { ResponseField } from '@gw/web';

type Fields = typeof LOG_FIELDS;
type Shown = { readonly as: string; readonly example?: string | number };
type ShownColumn = {
  [Column in LogFieldColumn]: Fields[Column] extends { readonly shown: Shown } ? Column : never;
}[LogFieldColumn];

type ShownName<Column> = Column extends LogFieldColumn
  ? Fields[Column] extends { readonly shown: { readonly as: infer Name extends string } }
    ? Name
    : never
  : never;

/** The declared columns that lists of logs show, by their public names. */
export type ShownColumns = {
  readonly [Column in ShownColumn as ShownName<Column>]: Fields[Column]['kind']['sql'] extends 'bigint'
    ? number
    : StoredRequestLog[Column];
};

const DECORATORS = {
  uuid: ResponseField.uuid,
  text: ResponseField.text,
  integer: ResponseField.integer,
  bigint: ResponseField.integer,
  'double precision': ResponseField.number,
  boolean: ResponseField.boolean,
  jsonb: ResponseField.map,
} as const;

const FIELDS: readonly (readonly [
  string,
  { readonly kind: Fields[LogFieldColumn]['kind']; readonly about: string; readonly shown?: Shown },
])[] = Object.entries(LOG_FIELDS);
const SHOWN = FIELDS.flatMap(([column, { kind, about, shown }]) =>
  shown ? [{ column: column as ShownColumn, kind, about, shown }] : [],
);

class ShownLog {
  @ResponseField.kind('log') readonly object!: 'log';
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.time() readonly created_at!: string;
}

for (const { kind, about, shown } of SHOWN) {
  const { as: name, example } = shown;
  DECORATORS[kind.sql]({
    ...(kind.salvage(undefined) === null && { nullable: true }),
    description: kind.unit === undefined ? about : `${about} In ${kind.unit}.`,
    ...(example !== undefined && { example }),
  })(ShownLog.prototype, name);
}

/** A log with its declared columns, for the OpenAPI document. */
export const ShownLogColumns = ShownLog as new () => ShownLog & ShownColumns;

export const shownColumns = (log: StoredRequestLog): ShownColumns =>
  Object.fromEntries(
    // The driver returns bigints as strings.
    SHOWN.map(({ column, kind, shown }) => [
      shown.as,
      kind.sql === 'bigint' ? Number(log[column]) : log[column],
    ]),
  ) as ShownColumns;
