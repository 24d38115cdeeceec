import type { LogFieldFacts } from './log-field-facts';
import { LOG_REQUEST_FIELDS } from './log-request-fields';
import { LOG_RESULT_FIELDS } from './log-result-fields';

/**
 * The fields of a log record that have columns of their own, by column. This table defines the
 * record's type, its defaults, the values salvaged from a damaged record, the row and its `COPY`,
 * filters, zone maps, exports, the facts in ClickHouse, the API's lists with their document, and
 * `docs/log-fields.md`. To add one, see "Adding a log field" in `docs/logs.md`.
 */
export const LOG_FIELDS = { ...LOG_REQUEST_FIELDS, ...LOG_RESULT_FIELDS };

type Fields = typeof LOG_FIELDS;
export type LogFieldColumn = keyof Fields;

/** The members of a log record that `LOG_FIELDS` declares. */
export type LogFields = {
  readonly [Column in LogFieldColumn as Fields[Column]['member']]: ReturnType<
    Fields[Column]['kind']['salvage']
  >;
};

/** The values of the fields in a row of the log, by column. */
export type LogFieldRow = {
  readonly [Column in LogFieldColumn]: ReturnType<Fields[Column]['kind']['store']>;
};

const ALL: readonly LogFieldFacts[] = Object.values(LOG_FIELDS);

export const LOG_MEMBERS = ALL.map(({ member }) => member) as readonly (keyof LogFields)[];

/** Values of members that a shipped record omits. */
export const DEFAULT_LOG_FIELDS = Object.fromEntries(
  ALL.flatMap(({ member, usual }) => (usual === undefined ? [] : [[member, usual]])),
) as Partial<LogFields>;

/** Returns the fields of a damaged record, each with a value of its kind. */
export const salvagedLogFields = (record: Readonly<Record<string, unknown>>): LogFields =>
  Object.fromEntries(ALL.map(({ member, kind }) => [member, kind.salvage(record[member])])) as LogFields;

/** Values of fields about which nothing is known: the usual value, or the kind's. */
export const EMPTY_LOG_FIELDS: LogFields = { ...salvagedLogFields({}), ...DEFAULT_LOG_FIELDS };
