import { isSuccess, type LogSqlType } from '@gw/contracts';
import { UNITS_PER_CENT } from '@gw/kernel';
import {
  EXPORTED_COLUMNS,
  readableBody,
  type ComputedExportField,
  type ExportedLog,
  type LogBodies,
} from '@gw/log-store';
import type { ParquetType } from './parquet-column';

interface ExportField {
  readonly type: ParquetType;
  readonly read: (log: ExportedLog, bodies: LogBodies) => unknown;
}

const COMPUTED: Readonly<Record<ComputedExportField, ExportField>> = {
  request: { type: 'STRING', read: (_, { request }) => readableBody(request).body },
  response: { type: 'STRING', read: (_, { response }) => readableBody(response).body },
  is_success: { type: 'BOOLEAN', read: isSuccess },
  cost_currency: { type: 'STRING', read: () => 'USD' },
  mode: { type: 'STRING', read: ({ strategy }) => strategy },
};

const PARQUET_TYPES: Readonly<Record<LogSqlType, ParquetType>> = {
  timestamptz: 'TIMESTAMP',
  bigint: 'INT64',
  integer: 'INT32',
  'double precision': 'DOUBLE',
  boolean: 'BOOLEAN',
  text: 'STRING',
  uuid: 'STRING',
  jsonb: 'STRING',
};

/**
 * Returns the export field of a column. Money is in US cents; the driver returns bigints as text.
 */
const columnField = ({ column, sql, isMoney }: (typeof EXPORTED_COLUMNS)[number]): ExportField => {
  if (sql !== 'bigint') return { type: PARQUET_TYPES[sql], read: (log) => log[column] };
  const unit = isMoney ? UNITS_PER_CENT : 1;
  return {
    type: isMoney ? 'DOUBLE' : PARQUET_TYPES[sql],
    read: ({ [column]: value }) => (value === null ? null : Number(value) / unit),
  };
};

/** The fields of exports by name. */
export const EXPORT_FIELDS: Readonly<Record<string, ExportField>> = {
  ...COMPUTED,
  ...Object.fromEntries(EXPORTED_COLUMNS.map((exported) => [exported.as, columnField(exported)])),
};
