import { INTERNAL } from '@gw/contracts';
import { httpLogSink, Journal, LogShipper, Sealer, sealedSink, type LogSink, type Post } from '@gw/journal';
import { journalKey } from '@gw/kernel';
import { connectRedis, RedisLogSink, type Redis } from '@gw/redis';
import { eventually, freePort, sampleLogRecord, testDatabase, withRedis } from '@gw/testing';
import { createLog } from '@gw/web';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorker } from './app';
import { readWorkerSettings } from './settings';

const MASTER = Buffer.alloc(32, 7);
const sealer = new Sealer([journalKey(MASTER)]);
const TOKEN = 'a service token of tests';

const post: Post = async (url, headers, body) => {
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
  await response.arrayBuffer();
  return { status: response.status };
};

/** Guarantees that every transport from a gateway's journal to the request log must meet. */
describe.each(['http', 'redis'] as const)('log transport over %s', (driver) => {
  const database = testDatabase();
  const redis = withRedis();
  let directory: string;
  let journal: Journal;
  let shipper: LogShipper | undefined;
  let worker: NestFastifyApplication | undefined;
  let connection: Redis | undefined;
  let port: number;

  const startWorker = async (): Promise<void> => {
    const settings = readWorkerSettings({
      DATABASE_URL: database.url,
      REDIS_URL: driver === 'redis' ? redis.url : '',
      SERVICE_TOKEN: TOKEN,
      ENCRYPTION_KEY: MASTER.toString('base64'),
      DB_POOL_SIZE: '4',
      LOG_LEVEL: 'error',
    });
    worker = await createWorker(settings, createLog('test', 'silent'));
    await worker.listen(port, '127.0.0.1');
  };
  const sink = (): LogSink => {
    const url = `http://127.0.0.1:${String(port)}${INTERNAL.logs}`;
    if (driver === 'http') return httpLogSink({ url, serviceToken: TOKEN, post });
    connection = connectRedis({ url: redis.url, name: 'test' });
    return sealedSink(new RedisLogSink(connection), sealer);
  };
  /** Stops the receiving end of the transport: the worker or Redis. */
  const takeDown = async (): Promise<void> => {
    if (driver === 'redis') return redis.kill();
    await worker?.close();
    worker = undefined;
  };
  const bringBack = (): Promise<void> => (driver === 'redis' ? redis.start() : startWorker());

  const ship = (through: LogSink): LogShipper => {
    shipper = new LogShipper(journal, through, { intervalMs: 10, backoffMaxMs: 50 });
    shipper.start();
    return shipper;
  };
  const append = (traceId: string, count: number): Promise<void[]> =>
    Promise.all(
      Array.from(
        { length: count },
        () =>
          new Promise<void>((resolve) => {
            const meta = JSON.stringify(sampleLogRecord({ traceId }));
            journal.append(meta, Buffer.from('{"q":1}'), [Buffer.from('{"a"'), Buffer.from(':1}')], resolve);
          }),
      ),
    );
  const stored = async (traceId: string): Promise<{ rows: number; ids: number; bodies: number }> => {
    const rows: { rows: number; ids: number; bodies: number }[] = await database.dataSource.query(
      `SELECT count(*)::int AS rows, count(DISTINCT log.id)::int AS ids, count(body.content)::int AS bodies
       FROM request_logs log LEFT JOIN request_log_bodies body ON body.id = log.id WHERE trace_id = $1`,
      [traceId],
    );
    return rows[0] as { rows: number; ids: number; bodies: number };
  };
  const arrives = (traceId: string, count: number): Promise<unknown> =>
    eventually(async () => (await stored(traceId)).ids >= count);

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'transport-'));
    journal = Journal.open({ directory, sealer });
    port = await freePort();
    await startWorker();
  });
  afterEach(async () => {
    await shipper?.stop(100);
    journal.close();
    connection?.disconnect();
    await worker?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('[SVC-02] delivers every record of the journal to the log once, with its bodies', async () => {
    ship(sink());
    await append('all', 1_300);
    await arrives('all', 1_300);
    expect(await stored('all')).toEqual({ rows: 1_300, ids: 1_300, bodies: 1_300 });
    await eventually(() => !journal.hasBacklog());
  });

  it('keeps records on disk while the receiver is down, and delivers each once when it is back', async () => {
    await takeDown();
    const running = ship(sink());
    await append('outage', 600);
    await eventually(() => running.stats().failedSends > 2);
    expect(journal.hasBacklog()).toBe(true);
    await bringBack();
    await arrives('outage', 600);
    expect(await stored('outage')).toEqual({ rows: 600, ids: 600, bodies: 600 });
  });

  it('stores a batch once that is sent again after a lost acknowledgement', async () => {
    const through = sink();
    let lost = 0;
    ship({
      send: async (batch, count) => {
        await through.send(batch, count);
        if (lost < 2) {
          lost += 1;
          throw new Error('The acknowledgement was lost.');
        }
      },
    });
    await append('again', 50);
    await arrives('again', 50);
    await eventually(() => !journal.hasBacklog());
    await append('again', 1);
    await arrives('again', 51);
    expect(await stored('again')).toEqual({ rows: 51, ids: 51, bodies: 51 });
  });
});
