import { assertKey, OBJECT_BYTES_MAX, type ByteRange, type ObjectStore } from './object-store';

/** Runs one statement and returns its rows, like `DataSource.query` of TypeORM. */
export type RunSql = <Rows>(sql: string, parameters: unknown[]) => Promise<Rows>;

/** Stores objects as rows of `stored_objects`, which all processes with the database can read. */
export class DatabaseObjectStore implements ObjectStore {
  constructor(private readonly run: RunSql) {}

  async put(key: string, bytes: Buffer): Promise<void> {
    assertKey(key);
    if (bytes.length > OBJECT_BYTES_MAX) throw new Error('The object is too large to be stored.');
    await this.run(
      `INSERT INTO stored_objects (key, bytes) VALUES ($1, $2)
       ON CONFLICT (key) DO UPDATE SET bytes = excluded.bytes`,
      [key, bytes],
    );
  }

  async get(key: string, range?: ByteRange): Promise<Buffer | null> {
    assertKey(key);
    const [row] = await this.run<{ bytes: Buffer }[]>(
      'SELECT substring(bytes FROM $2 FOR $3) AS bytes FROM stored_objects WHERE key = $1',
      [key, (range?.offset ?? 0) + 1, Math.min(range?.length ?? OBJECT_BYTES_MAX, OBJECT_BYTES_MAX)],
    );
    return row?.bytes ?? null;
  }

  async removeFolder(folder: string): Promise<void> {
    assertKey(folder, true);
    // A range of the primary key, which orders bytes: `0` follows `/`.
    await this.run('DELETE FROM stored_objects WHERE key >= $1 AND key < $2', [
      folder,
      `${folder.slice(0, -1)}0`,
    ]);
  }

  close(): void {
    // The connections belong to the process.
  }
}
