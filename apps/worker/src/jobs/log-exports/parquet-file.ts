import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import { deserialize, serialize } from 'node:v8';
import { EXPORT_FIELDS } from './export-fields';
import type { EncodedPart, ExportFormat, ExportRow } from './export-format';
import { parquetColumn, type ParquetColumn } from './parquet-column';

/** Columns without statistics, because their minimum and maximum help no reader. */
const WITHOUT_STATISTICS: ReadonlySet<string> = new Set(['request', 'response', 'metadata']);
/** Typical size of a part in bytes; the writer grows by doubling. */
const FIRST_BYTES = 1_048_576;

type RowGroup = ParquetWriter['row_groups'][number];

/** Writes Apache Parquet: one row group per part, and the footer that lists them. */
export class ParquetFile implements ExportFormat {
  private readonly columns: readonly { readonly name: string; readonly column: ParquetColumn }[];
  private readonly schema: ParquetWriter['schema'];
  /** Reused for each part, like the columns. */
  private readonly writer = new ByteWriter(FIRST_BYTES);
  bytes = 0;
  rows = 0;

  constructor(fields: readonly string[]) {
    const types = fields.map((name) => ({ name, type: EXPORT_FIELDS[name]?.type ?? 'STRING' }));
    this.columns = types.map(({ name, type }) => ({ name, column: parquetColumn(type) }));
    this.schema = schemaFromColumnData({
      columnData: types.map(({ name, type }) => ({ name, type, nullable: true, data: [] })),
    });
  }

  add(row: ExportRow): void {
    this.rows += 1;
    for (const { name, column } of this.columns) this.bytes += column.add(row[name]);
  }

  takePart(offset: number): EncodedPart {
    const file = this.open(offset);
    void file.write({
      columnData: this.columns.map(({ name, column }) => ({
        name,
        // Read when the column is encoded, so that only one column's values are on the heap.
        get data() {
          return column.values();
        },
        statistics: !WITHOUT_STATISTICS.has(name),
        offsetIndex: false,
      })),
      rowGroupSize: this.rows,
    });
    for (const { column } of this.columns) column.clear();
    this.bytes = 0;
    this.rows = 0;
    return {
      bytes: Buffer.from(this.writer.getBytes()),
      meta: { group: serialize(file.row_groups[0]).toString('base64') },
    };
  }

  end(parts: Parameters<ExportFormat['end']>[0], offset: number): Buffer {
    const file = this.open(offset);
    file.row_groups = parts.map(({ meta }) => {
      const { group } = meta as { readonly group: string };
      return deserialize(Buffer.from(group, 'base64')) as RowGroup;
    });
    file.num_rows = BigInt(parts.reduce((sum, { rows }) => sum + rows, 0));
    void file.finish();
    return Buffer.from(this.writer.getBytes());
  }

  /**
   * Creates a writer that continues at a position of the file; only the first part begins with the
   * magic bytes.
   */
  private open(offset: number): ParquetWriter {
    Object.assign(this.writer, { index: 0, offset: 0 });
    const file = new ParquetWriter({ writer: this.writer, schema: this.schema });
    if (offset > 0) Object.assign(this.writer, { index: 0, offset });
    return file;
  }
}
