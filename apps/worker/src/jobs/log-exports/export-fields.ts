import { isSuccess, type LogSqlType } from '@gw/contracts';
import { EXPORTED_COLUMNS, type ComputedExportField, type ExportedLog, type LogBodies } from '@gw/log-store';
import { isUtf8 } from 'node:buffer';
import type { ParquetType } from './parquet-column';

/** Units of 1e-8 USD in a US cent. */
const UNITS_PER_CENT = 1_000_000;

interface ExportField {
  readonly type: ParquetType;
  readonly read: (log: ExportedLog, bodies: LogBodies) => unknown;
}

const COMPUTED: Readonly<Record<ComputedExportField, ExportField>> = {
  request: { type: 'STRING', read: (_, { request }) => readable(request) },
  response: { type: 'STRING', read: (_, { response }) => readable(response) },
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

/** Returns the export field of a column. Money is in US cents; the driver returns bigints as text. */
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

/** Decodes a body: JSON as a value, other text as text, anything else as base64. */
function readable(body: Buffer | null): unknown {
  if (body === null) return null;
  if (!isUtf8(body)) return body.toString('base64');
  const text = body.toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
