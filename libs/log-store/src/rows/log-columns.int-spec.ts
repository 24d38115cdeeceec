import { testDatabase } from '@gw/testing';
import { LOG_COLUMNS, REQUEST_LOG_COLUMNS, ZONE_BOUNDS_COLUMNS } from './log-columns';
import { TERMS_BITS } from '../zones/log-terms';

describe('LOG_COLUMNS', () => {
  const database = testDatabase();

  const columnsOf = async (table: string): Promise<Map<string, string>> => {
    const rows: { name: string; type: string }[] = await database.dataSource.query(
      `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
      [table],
    );
    return new Map(
      rows.map(({ name, type }) => [name, type === 'timestamp with time zone' ? 'timestamptz' : type]),
    );
  };

  it('declares the columns and types that the migrations create', async () => {
    const declared = REQUEST_LOG_COLUMNS.map((name) => [name, LOG_COLUMNS[name].sql] as const);
    const stored = await columnsOf('request_logs');
    expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(stored));
  });

  it('declares the columns that zone maps have', async () => {
    const stored = await columnsOf('log_zones');
    expect(stored.get('terms')).toBe(`bit(${String(TERMS_BITS)})`);
    const bounds = ZONE_BOUNDS_COLUMNS.flatMap((name) => [`${name}_low`, `${name}_high`]);
    expect([...stored.keys()].filter((name) => /_(?:low|high)$/.test(name)).sort()).toEqual(bounds.sort());
  });
});
