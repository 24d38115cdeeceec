import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '@gw/kernel';
import { testDatabase } from '@gw/testing';
import { OBJECT_STORE_SETTINGS, openLogStores, type LogStores } from './settings';

const database = testDatabase();

describe('openLogStores in several processes', () => {
  const folders = ['worker', 'admin-api'].map((name) => mkdtempSync(join(tmpdir(), `tollgate-${name}-`)));
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  /** Settings of a process with its own data folder, as each pod has. */
  const storesOf = (folder: string): LogStores =>
    openLogStores(
      {
        ...readSettings(OBJECT_STORE_SETTINGS, {}),
        ...{ DATA_DIR: folder, HTTPS_PROXY: null, HTTP_PROXY: null, NO_PROXY: '' },
      },
      (sql, parameters) => database.dataSource.query(sql, parameters),
    );

  it('returns stores that share exports between processes with different disks by default', async () => {
    const [worker, adminApi] = folders.map(storesOf) as [LogStores, LogStores];
    const file = Buffer.from('{"id":1}\n');
    await worker.exports.put('exports/one/part-0', file);
    expect(await adminApi.exports.get('exports/one/part-0')).toEqual(file);
  });
});
