import { parquetReadObjects } from 'hyparquet';
import type { ExportRow } from './export-format';
import { ParquetFile } from './parquet-file';

const FIELDS = ['id', 'created_at', 'is_success', 'req_units', 'cost', 'request', 'response_status_code'];

/** Rows with nulls, empty and multi-byte texts, and objects. Columns initially hold 1,024 rows. */
const rowsOf = (count: number, seed: string): ExportRow[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `${seed}-${String(n)}`,
    created_at: new Date(1_700_000_000_000 + n),
    is_success: n % 3 === 0,
    req_units: n % 5 === 0 ? null : n,
    cost: n % 7 === 0 ? null : n / 8,
    request:
      n % 4 === 0 ? null : n % 4 === 1 ? '' : n % 4 === 2 ? `grüße 🌍 ${seed}` : { text: '€'.repeat(n % 50) },
    response_status_code: 200 + (n % 300),
  }));

/** The row as the reader returns it: `req_units` as `bigint`, objects as JSON texts. */
const asRead = (row: ExportRow): ExportRow => ({
  ...row,
  req_units: row['req_units'] === null ? null : BigInt(row['req_units'] as number),
  request:
    typeof row['request'] === 'object' && row['request'] !== null
      ? JSON.stringify(row['request'])
      : row['request'],
});

describe('ParquetFile', () => {
  it('writes parts of different sizes from which hyparquet reads the same rows', async () => {
    const file = new ParquetFile(FIELDS);
    const parts: { bytes: Buffer; rows: number; meta: object | null }[] = [];
    const all: ExportRow[] = [];
    let offset = 0;
    for (const count of [3_000, 1, 5_000, 1_024]) {
      const rows = rowsOf(count, `part of ${String(count)}`);
      for (const row of rows) file.add(row);
      expect(file.rows).toBe(count);
      const { bytes, meta } = file.takePart(offset);
      expect([file.rows, file.bytes]).toEqual([0, 0]);
      parts.push({ bytes, rows: count, meta });
      offset += bytes.length;
      all.push(...rows);
    }
    const whole = Buffer.concat([...parts.map(({ bytes }) => bytes), file.end(parts, offset)]);
    const read = await parquetReadObjects({ file: new Uint8Array(whole).buffer });
    expect(read).toHaveLength(all.length);
    expect(read).toEqual(all.map(asRead));
  });

  it('writes the same bytes when another ParquetFile writes a part again at its offset', () => {
    const [one, other] = [new ParquetFile(FIELDS), new ParquetFile(FIELDS)];
    for (const row of rowsOf(2_000, 'first')) one.add(row);
    const { bytes } = one.takePart(0);
    for (const file of [one, other]) for (const row of rowsOf(1_500, 'second')) file.add(row);
    expect(other.takePart(bytes.length).bytes.equals(one.takePart(bytes.length).bytes)).toBe(true);
  });
});
