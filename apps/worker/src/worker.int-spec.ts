import { INTERNAL } from '@gw/contracts';
import { encodeFrame } from '@gw/telemetry';
import { createTestDatabase, eventually, sampleLogRecord, testDatabase } from '@gw/testing';
import { createLog } from '@gw/web';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createWorker } from './app';

const TOKEN = 'a service token of tests';
const settingsFor = (url: string) =>
  ({
    DATABASE_URL: url,
    REDIS_URL: null,
    SERVICE_TOKEN: TOKEN,
    WORKER_PORT: 8789,
    HOST: '127.0.0.1',
    DB_POOL_SIZE: 3,
    LOG_LEVEL: 'error',
  }) as const;

describe('worker', () => {
  const database = testDatabase();
  let worker: NestFastifyApplication;

  beforeAll(async () => {
    worker = await createWorker(settingsFor(database.url), createLog('test', 'silent'));
    await worker.init();
    await worker.getHttpAdapter().getInstance().ready();
  });
  afterAll(() => worker.close());

  const frame = (): Buffer => encodeFrame(JSON.stringify(sampleLogRecord()), null, null) as Buffer;
  const send = (payload: Buffer, headers: Record<string, string> = {}) =>
    worker.inject({
      method: 'POST',
      url: INTERNAL.logs,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/octet-stream', ...headers },
      payload,
    });

  it('answers 200 after the commit, with what it took', async () => {
    const answer = await send(Buffer.concat([frame(), frame()]));
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ accepted: 2, rejected: 0 });
  });

  it.each(['', 'Bearer wrong', `Bearer ${TOKEN}x`, TOKEN])(
    'answers 401 to the authorization "%s"',
    async (authorization) => {
      const answer = await send(frame(), { authorization });
      expect(answer.statusCode).toBe(401);
      expect(answer.json()).toMatchObject({ error: { type: 'unauthenticated', code: 'AB05' } });
    },
  );

  it('refuses a batch that arrived damaged as a whole, since the gateway still has it', async () => {
    const record = sampleLogRecord();
    const whole = encodeFrame(JSON.stringify(record), null, null) as Buffer;
    const answer = await send(Buffer.concat([whole, frame().subarray(0, 50)]));
    expect(answer.json()).toMatchObject({ error: { type: 'body_invalid' } });
    expect(await database.dataSource.query('SELECT id FROM request_logs WHERE id = $1', [record.id])).toEqual(
      [],
    );
  });

  it.each([
    ['another content type', 415, { 'content-type': 'application/json' }, Buffer.from('{}')],
    ['a batch over 16 MiB', 413, {}, Buffer.alloc(16 * 1024 * 1024 + 1)],
  ])('answers %s with %i', async (_, status, headers, payload) => {
    expect((await send(payload, headers)).statusCode).toBe(status);
  });

  it('answers 404 where it has no route, and 401 to who may not know', async () => {
    const url = '/internal/v1/other';
    expect((await worker.inject({ url })).statusCode).toBe(401);
    expect((await worker.inject({ url, headers: { authorization: `Bearer ${TOKEN}` } })).statusCode).toBe(
      404,
    );
  });

  it('has the partitions of today and the two days ahead before the first record comes', async () => {
    const rows: { name: string }[] = await database.dataSource.query(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'request_logs'::regclass`,
    );
    const names = rows.map(({ name }) => name);
    for (const ahead of [0, 1, 2]) {
      const day = new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
      expect(names).toContain(`request_logs_${day}`);
    }
  });

  it('schedules the making of partitions, and runs it without being asked', async () => {
    await eventually(async () => {
      const rows: { count: number }[] = await database.dataSource.query(
        `SELECT count(*)::int AS count FROM bullmq.jobs WHERE name = 'log-partitions'`,
      );
      return (rows[0]?.count ?? 0) > 0;
    });
  });

  it('tells the truth about its health, and answers 503 to records while the database is gone', async () => {
    const own = await createTestDatabase();
    const lonely = await createWorker(settingsFor(own.url), createLog('test', 'silent'));
    await lonely.init();
    await lonely.getHttpAdapter().getInstance().ready();
    try {
      expect((await lonely.inject({ url: '/health' })).json()).toMatchObject({ status: 'ok', degraded: [] });
      await own.drop();
      const health = await lonely.inject({ url: '/health' });
      expect(health.statusCode).toBe(200);
      expect(health.json()).toMatchObject({ status: 'degraded', degraded: ['postgres'] });
      const answer = await lonely.inject({
        method: 'POST',
        url: INTERNAL.logs,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/octet-stream' },
        payload: frame(),
      });
      expect(answer.statusCode).toBeGreaterThanOrEqual(500);
    } finally {
      await lonely.close();
    }
  });
});
