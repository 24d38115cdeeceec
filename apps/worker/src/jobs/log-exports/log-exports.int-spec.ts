import { isSuccess } from '@gw/contracts';
import { LogExportEntity, LogExportPartEntity, OrganisationEntity, WorkspaceEntity } from '@gw/entities';
import { DAY_MS, uuidv7 } from '@gw/kernel';
import { dayOf, ensureLogPartitions, insertLogs, requestLogRow } from '@gw/log-store';
import { DiskObjectStore } from '@gw/object-store';
import { sampleLogRecord, testDatabase } from '@gw/testing';
import { createLog } from '@gw/web';
import { parquetReadObjects } from 'hyparquet';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';
import { LogPartitions } from '../../ingest/log-partitions.service';
import { LogExportsProcessor } from './log-exports.processor';

const ROOT = resolve(__dirname, '../../../../..');
const quiet = createLog('test', 'silent');
const folder = mkdtempSync(join(tmpdir(), 'tollgate-exports-'));
const ALL_BUT_BODIES = [
  'id',
  'trace_id',
  'created_at',
  'is_success',
  'total_units',
  'cost',
  'response_status_code',
  'metadata',
];

describe('log exports', () => {
  const database = testDatabase();
  const organisationId = uuidv7();
  const workspaceId = uuidv7();
  const exports = new DiskObjectStore(folder);
  const stores = { bodies: null, exports };

  beforeAll(async () => {
    const { manager } = database.dataSource;
    await manager.insert(OrganisationEntity, { id: organisationId, name: 'o', slug: 'o' });
    await manager.insert(WorkspaceEntity, { id: workspaceId, organisationId, name: 'w', slug: 'w' });
    await new LogPartitions(database.dataSource).prepareAhead();
    // Just after midnight, some logs are of the day before.
    await ensureLogPartitions(database.dataSource, [dayOf(new Date()) - 1]);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const processor = (isEnabled = true): LogExportsProcessor =>
    new LogExportsProcessor(database.dataSource, stores, isEnabled, quiet);

  async function started(changes: Partial<LogExportEntity> = {}): Promise<string> {
    const id = uuidv7();
    await database.dataSource.manager.insert(LogExportEntity, {
      id,
      organisationId,
      workspaceId,
      status: 'in_progress',
      format: 'jsonl',
      filters: {},
      requestedData: ALL_BUT_BODIES,
      run: 1,
      until: new Date(Date.now() + 60_000),
      ...changes,
    } as QueryDeepPartialEntity<LogExportEntity>);
    return id;
  }
  const find = (id: string) => database.dataSource.manager.findOneByOrFail(LogExportEntity, { id });
  async function fileOf(id: string): Promise<Buffer> {
    const parts = await database.dataSource.manager.find(LogExportPartEntity, {
      where: { exportId: id },
      order: { number: 'ASC' },
    });
    const bytes = Buffer.concat(
      await Promise.all(parts.map(async ({ key }) => (await exports.get(key)) as Buffer)),
    );
    expect(String(bytes.length)).toBe((await find(id)).bytesDone);
    return bytes;
  }
  const rowsOf = async (id: string): Promise<Record<string, unknown>[]> =>
    (await fileOf(id))
      .toString()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const parquetRows = async (id: string): Promise<Record<string, unknown>[]> => {
    const bytes = await fileOf(id);
    const file = new Uint8Array(bytes).buffer;
    return parquetReadObjects({ file });
  };

  describe('with few logs', () => {
    const traceId = 'few';
    beforeAll(async () => {
      const at = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString();
      const entries = Array.from({ length: 25 }, (_, i) => ({
        row: requestLogRow(
          sampleLogRecord({
            organisationId,
            workspaceId,
            traceId,
            createdAt: at(i >> 1),
            status: i % 5 === 0 ? 429 : 200,
            metadata: { n: String(i), text: 'line\nend "x" ü' },
            ...(i === 7 && { usage: null, cost: null }),
          }),
        ),
        request: i % 2 === 0 ? Buffer.from('{"messages": [\n1]}') : null,
        response: i % 3 === 0 ? Buffer.from([0xff, 0]) : Buffer.from('plain text'),
      }));
      await insertLogs(database.dataSource.manager, entries);
    });
    const filters = { trace_id: traceId };

    it('writes the requested fields, one line per log, newest first', async () => {
      const requestedData = ['id', 'created_at', 'request', 'response', 'cost', 'metadata'];
      const id = await started({ filters, requestedData });
      await processor().process();
      expect(await find(id)).toMatchObject({ status: 'success', rowsDone: 25, leaseOwner: null });
      const rows = await rowsOf(id);
      expect(rows).toHaveLength(25);
      for (const row of rows) expect(Object.keys(row)).toEqual(requestedData);
      const times = rows.map((row) => String(row['created_at']));
      expect([...times].sort().reverse()).toEqual(times);
      expect(new Set(rows.map((row) => row['id'])).size).toBe(25);
      expect(rows.map((row) => row['request'])).toContainEqual({ messages: [1] });
      expect(rows.map((row) => row['response'])).toEqual(expect.arrayContaining(['plain text', '/wA=']));
      expect(rows.filter((row) => row['cost'] === null)).toHaveLength(1);
    });

    it('writes Parquet from which another reader reads the same rows', async () => {
      const requestedData = ['id', 'created_at', 'is_success', 'total_units', 'cost', 'request', 'metadata'];
      const lines = await started({ filters, requestedData });
      const table = await started({ filters, requestedData, format: 'parquet' });
      await processor().process();
      await processor().process();
      const plain = (row: Record<string, unknown>) => ({
        ...row,
        created_at: new Date(row['created_at'] as string).getTime(),
        total_units: row['total_units'] === null ? null : Number(row['total_units']),
        request:
          typeof row['request'] === 'object' && row['request']
            ? JSON.stringify(row['request'])
            : row['request'],
        metadata:
          typeof row['metadata'] === 'string' ? (JSON.parse(row['metadata']) as object) : row['metadata'],
      });
      expect((await parquetRows(table)).map(plain)).toEqual((await rowsOf(lines)).map(plain));
    });

    it('derives success from outcome and status, in JSON lines and in Parquet', async () => {
      const ends = (['ok', 'denied', 'failed', 'client_closed', 'interrupted'] as const).flatMap((outcome) =>
        [101, 200, 304, 446, 500].map((status) => ({ outcome, status })),
      );
      const entries = ends.map((end) => ({
        row: requestLogRow(sampleLogRecord({ organisationId, workspaceId, traceId: 'ends', ...end })),
        ...{ request: null, response: null },
      }));
      await insertLogs(database.dataSource.manager, entries);
      const good = entries.filter(({ row }) => isSuccess(row)).map(({ row }) => row.id);
      const exported = { filters: { trace_id: 'ends' }, requestedData: ['id', 'is_success'] };
      const lines = await started(exported);
      const table = await started({ ...exported, format: 'parquet' });
      await processor().process();
      await processor().process();
      for (const rows of [await rowsOf(lines), await parquetRows(table)]) {
        expect(rows).toHaveLength(ends.length);
        const reported = rows.filter((row) => row['is_success'] === true).map((row) => row['id']);
        expect(reported.sort()).toEqual([...good].sort());
      }
    });

    it('writes a valid empty file when no log matches', async () => {
      const none = { trace_id: 'nothing' };
      const lines = await started({ filters: none });
      const table = await started({ filters: none, format: 'parquet' });
      await processor().process();
      await processor().process();
      expect(await rowsOf(lines)).toEqual([]);
      expect(await parquetRows(table)).toEqual([]);
      expect((await find(table)).status).toBe('success');
    });

    it('writes one page when page_size is set', async () => {
      const all = await started({ filters });
      const page = await started({ filters: { ...filters, page_size: 10, current_page: 1 } });
      const behind = await started({ filters: { ...filters, page_size: 10, current_page: 9 } });
      for (let i = 0; i < 3; i += 1) await processor().process();
      expect(await rowsOf(page)).toEqual((await rowsOf(all)).slice(10, 20));
      expect(await rowsOf(behind)).toEqual([]);
    });

    it('writes the logs that match the filters when the export starts, and no others', async () => {
      const some = await started({ filters: { ...filters, status_code: '429,500', metadata: { n: '10' } } });
      const early = await started({ filters, until: new Date(Date.now() - DAY_MS) });
      const foreign = await started({ filters, onlyUserId: uuidv7() });
      for (let i = 0; i < 3; i += 1) await processor().process();
      expect((await rowsOf(some)).map((row) => row['metadata'])).toEqual([
        expect.objectContaining({ n: '10' }),
      ]);
      expect(await rowsOf(early)).toEqual([]);
      expect(await rowsOf(foreign)).toEqual([]);
    });

    it('[ERR-04] fails without writing when a field was denied after the export was created', async () => {
      const { manager } = database.dataSource;
      await manager.update(
        OrganisationEntity,
        { id: organisationId },
        { exportSettings: { deniedFields: ['metadata'] } },
      );
      const id = await started({ filters });
      await processor().process();
      await manager.update(OrganisationEntity, { id: organisationId }, { exportSettings: {} });
      const row = await find(id);
      expect([row.status, row.failure]).toEqual(['failed', expect.stringContaining('metadata')]);
      expect(await rowsOf(id)).toEqual([]);
    });

    it('[ENV-07] leaves an export waiting while exports are disabled', async () => {
      const id = await started({ filters });
      await processor(false).process();
      expect((await find(id)).status).toBe('in_progress');
      await processor().process();
      expect((await find(id)).status).toBe('success');
    });

    it('writes an export only in the worker that holds the lease', async () => {
      const id = await started({ filters, leaseOwner: 'another', leaseUntil: new Date(Date.now() + 60_000) });
      await processor().process();
      expect((await find(id)).status).toBe('in_progress');
      await database.dataSource.manager.update(LogExportEntity, { id }, { leaseUntil: new Date(0) });
      await Promise.all([processor().process(), processor().process(), processor().process()]);
      expect((await find(id)).rowsDone).toBe(25);
      expect(await rowsOf(id)).toHaveLength(25);
    });

    it('fails an export after three workers died on the same part; a written part resets the count, a release adds nothing', async () => {
      const dead = { filters, leaseOwner: 'dead', leaseUntil: new Date(0) };
      const [third, second] = [
        await started({ ...dead, workersLost: 2 }),
        await started({ ...dead, workersLost: 1 }),
      ];
      await processor().process();
      await processor().process();
      expect(await find(third)).toMatchObject({
        status: 'failed',
        failure: 'The worker died 3 times after row 0. Export a shorter time or fewer fields.',
      });
      expect(await find(second)).toMatchObject({ status: 'success', workersLost: 0 });
      const released = await started({ filters, leaseOwner: null, leaseUntil: new Date(0), workersLost: 2 });
      await processor().process();
      expect((await find(released)).status).toBe('success');
    });

    it('retries an export a minute after a failed write, which does not count as a crash', async () => {
      const refusing = { bodies: null, exports: new DiskObjectStore('/dev/null/no-folder') };
      const id = await started({ filters });
      await new LogExportsProcessor(database.dataSource, refusing, true, quiet).process();
      const { leaseOwner, leaseUntil } = await find(id);
      expect([leaseOwner, Number(leaseUntil) > Date.now()]).toEqual([null, true]);
      await database.dataSource.manager.update(LogExportEntity, { id }, { leaseUntil: new Date(0) });
      await processor().process();
      expect(await find(id)).toMatchObject({ status: 'success', workersLost: 0 });
    });

    it('fails an export after five failed writes, and starts to count again when its owner restarts it', async () => {
      const refusing = { bodies: null, exports: new DiskObjectStore('/dev/null/no-folder') };
      const worker = new LogExportsProcessor(database.dataSource, refusing, true, quiet);
      const id = await started({ filters });
      const { manager } = database.dataSource;
      for (let count = 0; count < 5; count += 1) {
        expect((await find(id)).status).toBe('in_progress');
        await manager.update(LogExportEntity, { id }, { leaseUntil: null });
        await worker.process();
      }
      expect(await find(id)).toMatchObject({ status: 'failed', failure: expect.stringContaining('written') });
      await manager.update(LogExportEntity, { id }, { status: 'in_progress', run: 2, leaseUntil: null });
      await worker.process();
      expect((await find(id)).status).toBe('in_progress');
      await manager.delete(LogExportEntity, { id });
    });

    it('[REL-01 in part] leaves no files of a deleted export', async () => {
      const id = await started({ filters });
      await processor().process();
      const { key } = await database.dataSource.manager.findOneByOrFail(LogExportPartEntity, {
        exportId: id,
      });
      await database.dataSource.manager.update(LogExportEntity, { id }, { deletedAt: new Date() });
      await processor().process();
      expect(await exports.get(key)).toBeNull();
      expect(await database.dataSource.manager.countBy(LogExportPartEntity, { exportId: id })).toBe(0);
    });

    it('deletes a deleted export after five minutes, with the files that no part names', async () => {
      const { manager } = database.dataSource;
      const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
      const stopped = { filters, status: 'stopped' } as const;
      const early = await started({ ...stopped, deletedAt: minutesAgo(1) });
      const settled = await started({ ...stopped, deletedAt: minutesAgo(6) });
      const key = `exports/${organisationId}/${settled}/1/0`;
      await exports.put(key, Buffer.from('a part that a stopped worker wrote'));
      await processor().process();
      expect(await exports.get(key)).toBeNull();
      expect(await manager.existsBy(LogExportEntity, { id: settled })).toBe(false);
      expect(await manager.existsBy(LogExportEntity, { id: early })).toBe(true);
    });
  });

  describe('with many logs', () => {
    const ROWS = 25_000;
    /** Node arguments as the launcher uses them. */
    const FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=35'];
    let built: string;

    beforeAll(async () => {
      built = mkdtempSync(join(tmpdir(), 'tollgate-exports-build-'));
      const swc = resolve(ROOT, 'node_modules/@swc/cli/bin/swc.js');
      const flags = ['-d', built, '--config-file', '.swcrc', '--ignore', '**/*spec.ts', '--quiet'];
      execFileSync(process.execPath, [swc, 'apps/worker/src', 'libs', ...flags], { cwd: ROOT });
      // The worker's export job, in a process that can be killed. It exits when nothing is left to
      // do.
      writeFileSync(
        join(built, 'exporter.cjs'),
        `require('reflect-metadata');
         const { readFileSync } = require('node:fs');
         const { DataSource } = require('typeorm');
         const { dataSourceOptions } = require('./libs/entities/src/index.js');
         const { DiskObjectStore } = require('./libs/object-store/src/index.js');
         const { createLog } = require('./libs/web/src/index.js');
         const { LogExportsProcessor } = require('./apps/worker/src/jobs/log-exports/log-exports.processor.js');
         const [url, folder, at, when] = process.argv.slice(2);
         let parts = 0;
         class MortalStore extends DiskObjectStore {
           async put(key, bytes) {
             const isLast = ++parts === Number(at);
             if (isLast && when === 'before') process.kill(process.pid, 'SIGKILL');
             await super.put(key, bytes);
             if (isLast) process.kill(process.pid, 'SIGKILL');
           }
         }
         const options = dataSourceOptions({ url, poolSize: 2, applicationName: 'exporter' });
         new DataSource(options).initialize().then(async (source) => {
           const stores = { bodies: null, exports: new MortalStore(folder) };
           await new LogExportsProcessor(source, stores, true, createLog('exporter', 'silent')).process();
           // maxRSS of resourceUsage would include the memory of the process that started this one.
           const [, peak] = /VmHWM:\\s*(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
           process.stdout.write(peak);
           await source.destroy();
         });`,
      );
      const [template] = await database.dataSource.query<{ id: string }[]>(
        `SELECT id FROM request_logs WHERE trace_id = 'few' LIMIT 1`,
      );
      const columns = (
        await database.dataSource.query<{ name: string }[]>(
          `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'request_logs'::regclass AND attnum > 0 AND NOT attisdropped`,
        )
      ).map(({ name }) => name);
      const values = columns.map((name) => {
        if (name === 'id') return 'gen_random_uuid()';
        if (name === 'trace_id') return `'many'`;
        if (name === 'metadata')
          return `jsonb_build_object('n', n::text, 'filler', repeat(md5(n::text), 12))`;
        return name === 'created_at' ? `now() - n * interval '1 millisecond'` : name;
      });
      await database.dataSource.query(
        `INSERT INTO request_logs (${columns.join(', ')})
         SELECT ${values.join(', ')} FROM request_logs, generate_series(1, $2::int) n WHERE id = $1`,
        [template?.id, ROWS],
      );
    });
    afterAll(() => {
      rmSync(built, { recursive: true, force: true });
    });

    /**
     * Starts a worker that is killed at its `at`th part, before or after it writes the object; 0:
     * never.
     */
    const exporter = (at = 0, when: 'before' | 'after' = 'before') =>
      spawn(
        process.execPath,
        [...FLAGS, join(built, 'exporter.cjs'), database.url, folder, String(at), when],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
          env: { ...process.env, NODE_PATH: join(ROOT, 'node_modules') },
        },
      );

    async function killed(id: string, ...how: Parameters<typeof exporter>): Promise<number> {
      const [, signal] = (await once(exporter(...how), 'exit')) as [unknown, string];
      const { status, rowsDone } = await find(id);
      expect([signal, status]).toEqual(['SIGKILL', 'in_progress']);
      // Ends the lease of one minute early.
      await database.dataSource.manager.update(LogExportEntity, { id }, { leaseUntil: new Date(0) });
      return rowsDone;
    }

    it.each(['jsonl', 'parquet'] as const)(
      'writes the same bytes as %s whether the worker was killed twice or never',
      async (format) => {
        const until = new Date();
        const changes = { filters: { trace_id: 'many' }, format, until, requestedData: [...ALL_BUT_BODIES] };
        const undisturbed = await started(changes);
        await processor().process();
        const id = await started(changes);
        const first = await killed(id, 2, 'after');
        const second = await killed(id, 2, 'before');
        expect(0 < first && first < second && second < ROWS).toBe(true);
        const [said] = (await once(exporter().stdout, 'data')) as [Buffer];
        expect(await find(id)).toMatchObject({ status: 'success', rowsDone: ROWS });
        const bytes = await fileOf(id);
        expect(bytes.equals(await fileOf(undisturbed))).toBe(true);
        const rows = format === 'parquet' ? await parquetRows(id) : await rowsOf(id);
        expect(new Set(rows.map((row) => row['id'])).size).toBe(ROWS);
        // Peak memory of the whole process in kilobytes.
        expect(Number(said.toString())).toBeLessThan(256 * 1_024);
      },
      180_000,
    );
  });
});
