import { ByteWriter, ParquetWriter, schemaFromColumnData, type ColumnSource } from 'hyparquet-writer';
import { deserialize, serialize } from 'node:v8';
import type { EncodedPart, ExportFormat, ExportRow } from './export-format';

type Type = NonNullable<ColumnSource['type']>;

/** Bodies and metadata are JSON, or text, as texts: their shape is the caller's. */
const TYPES: Readonly<Record<string, Type>> = {
  created_at: 'TIMESTAMP',
  is_success: 'BOOLEAN',
  req_units: 'INT64',
  res_units: 'INT64',
  total_units: 'INT64',
  cost: 'DOUBLE',
  response_time: 'DOUBLE',
  response_status_code: 'INT32',
};
/** Their least and greatest values help no reader. */
const WITHOUT_STATISTICS: ReadonlySet<string> = new Set(['request', 'response', 'metadata']);

type RowGroup = ParquetWriter['row_groups'][number];

/** Apache Parquet: one row group for each part, and the list of them at the end. */
export class ParquetFile implements ExportFormat {
  private readonly columns: readonly { readonly name: string; readonly type: Type; values: unknown[] }[];
  private readonly schema: ParquetWriter['schema'];
  bytes = 0;
  rows = 0;

  constructor(fields: readonly string[]) {
    this.columns = fields.map((name) => ({ name, type: TYPES[name] ?? 'STRING', values: [] }));
    this.schema = schemaFromColumnData({
      columnData: this.columns.map(({ name, type }) => ({ name, type, nullable: true, data: [] })),
    });
  }

  add(row: ExportRow): void {
    this.rows += 1;
    for (const { name, type, values } of this.columns) {
      const value = plainValue(row[name], type);
      values.push(value);
      this.bytes += sizeOf(value);
    }
  }

  takePart(offset: number): EncodedPart {
    const { file, writer } = this.open(offset);
    void file.write({
      columnData: this.columns.map(({ name, values }) => ({
        name,
        data: values,
        statistics: !WITHOUT_STATISTICS.has(name),
        offsetIndex: false,
      })),
      rowGroupSize: this.rows,
    });
    for (const column of this.columns) column.values = [];
    this.bytes = 0;
    this.rows = 0;
    return {
      bytes: Buffer.from(writer.getBytes()),
      meta: { group: serialize(file.row_groups[0]).toString('base64') },
    };
  }

  end(parts: Parameters<ExportFormat['end']>[0], offset: number): Buffer {
    const { file, writer } = this.open(offset);
    file.row_groups = parts.map(({ meta }) => {
      const { group } = meta as { readonly group: string };
      return deserialize(Buffer.from(group, 'base64')) as RowGroup;
    });
    file.num_rows = BigInt(parts.reduce((sum, { rows }) => sum + rows, 0));
    void file.finish();
    return Buffer.from(writer.getBytes());
  }

  /** A writer that goes on at a place of the file; only the first part begins with the file's mark. */
  private open(offset: number): { file: ParquetWriter; writer: ByteWriter } {
    const writer = new ByteWriter();
    const file = new ParquetWriter({ writer, schema: this.schema });
    if (offset > 0) Object.assign(writer, { index: 0, offset });
    return { file, writer };
  }
}

function plainValue(value: unknown, type: Type): unknown {
  if (value === null || value === undefined) return null;
  if (type === 'INT64') return BigInt(value as number);
  return type === 'STRING' && typeof value !== 'string' ? JSON.stringify(value) : value;
}

const sizeOf = (value: unknown): number => (typeof value === 'string' ? value.length + 4 : 8);
