import { INTERNAL } from '@gw/contracts';
import { encodeFrame } from '@gw/journal';
import { DAY_MS } from '@gw/kernel';
import { databaseOutage, eventually, sampleLogRecord, testDatabase } from '@gw/testing';
import { createLog } from '@gw/web';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createWorker } from './app';
import { readWorkerSettings, type WorkerSettings } from './settings';

const TOKEN = 'a service token of tests';
const settingsFor = (url: string): WorkerSettings =>
  readWorkerSettings({ DATABASE_URL: url, SERVICE_TOKEN: TOKEN, DB_POOL_SIZE: '3', LOG_LEVEL: 'error' });

describe('worker', () => {
  let worker: NestFastifyApplication;
  let startedMs: number;
  // Hooks run in the order in which they are set: the worker must close before its database.
  afterAll(() => worker.close());
  const database = testDatabase();

  beforeAll(async () => {
    worker = await createWorker(settingsFor(database.url), createLog('test', 'silent'));
    await worker.init();
    await worker.getHttpAdapter().getInstance().ready();
    startedMs = Date.now();
  });

  const frame = (): Buffer => encodeFrame(JSON.stringify(sampleLogRecord()), null, null) as Buffer;
  const send = (payload: Buffer, headers: Record<string, string> = {}) =>
    worker.inject({
      method: 'POST',
      url: INTERNAL.logs,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/octet-stream', ...headers },
      payload,
    });

  it('returns 200 after the commit with the number of stored records', async () => {
    const response = await send(Buffer.concat([frame(), frame()]));
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ accepted: 2, rejected: 0 });
  });

  it.each(['', 'Bearer wrong', `Bearer ${TOKEN}x`, TOKEN])(
    'returns 401 for the authorization "%s"',
    async (authorization) => {
      const response = await send(frame(), { authorization });
      expect(response.statusCode).toBe(401);
      expect(response.json()).toMatchObject({ error: { type: 'unauthenticated', code: 'AB05' } });
    },
  );

  it('refuses a damaged batch as a whole, because the gateway still has it', async () => {
    const record = sampleLogRecord();
    const whole = encodeFrame(JSON.stringify(record), null, null) as Buffer;
    const response = await send(Buffer.concat([whole, frame().subarray(0, 50)]));
    expect(response.json()).toMatchObject({ error: { type: 'body_invalid' } });
    expect(await database.dataSource.query('SELECT id FROM request_logs WHERE id = $1', [record.id])).toEqual(
      [],
    );
  });

  it.each([
    ['another content type', 415, { 'content-type': 'application/json' }, Buffer.from('{}')],
    ['a batch over 16 MiB', 413, {}, Buffer.alloc(16 * 1024 * 1024 + 1)],
  ])('refuses %s with %i', async (_, status, headers, payload) => {
    expect((await send(payload, headers)).statusCode).toBe(status);
  });

  it('returns 404 for an unknown route, and 401 without the service token', async () => {
    const url = '/internal/v1/other';
    expect((await worker.inject({ url })).statusCode).toBe(401);
    expect((await worker.inject({ url, headers: { authorization: `Bearer ${TOKEN}` } })).statusCode).toBe(
      404,
    );
  });

  it('creates the partitions of today and the next two days before the first record', async () => {
    const rows: { name: string }[] = await database.dataSource.query(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'request_logs'::regclass`,
    );
    const names = rows.map(({ name }) => name);
    for (const ahead of [0, 1, 2]) {
      const day = new Date(startedMs + ahead * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');
      expect(names).toContain(`request_logs_${day}`);
    }
  });

  it('schedules the partitions job', async () => {
    await eventually(async () => {
      const rows: { count: number }[] = await database.dataSource.query(
        `SELECT count(*)::int AS count FROM bullmq.job WHERE name = 'log-partitions'`,
      );
      return (rows[0]?.count ?? 0) > 0;
    });
  });

  it('reports its health, returns 503 for records while the database is down, and recovers', async () => {
    const outage = await databaseOutage(database.url);
    const ask = async (end: string, headers: Record<string, string> = {}) => {
      const response = await worker.inject({ url: `/health${end}`, headers });
      return { status: response.statusCode, body: response.json<Record<string, unknown>>() };
    };
    const parts = async (): Promise<unknown> =>
      (await ask('/parts', { authorization: `Bearer ${TOKEN}` })).body['parts'];
    try {
      await eventually(async () => (await ask('')).body['status'] === 'ok');
      const begun = new Date().toISOString();
      await outage.begin();
      await eventually(async () => (await ask('')).body['status'] === 'degraded');
      expect((await ask('')).body).toMatchObject({ service: 'worker', parts: { postgres: 'down' } });
      expect(await ask('/ready')).toMatchObject({ status: 503, body: { status: 'down' } });
      expect((await ask('/ready')).body['lacks']).toContain('postgres');
      expect((await ask('/live')).status).toBe(200);
      const [postgres] = (await parts()) as { name: string; status: string; since: string; reason: string }[];
      expect(postgres).toMatchObject({ name: 'postgres', status: 'down', reason: 'It does not respond.' });
      expect((postgres?.since ?? '') >= begun).toBe(true);
      const refused = await send(frame());
      expect(refused.statusCode).toBe(503);
      expect(refused.json()).toMatchObject({ error: { type: 'unavailable' } });

      await outage.end();
      await eventually(async () => (await ask('')).body['status'] === 'ok');
      expect(await ask('/ready')).toEqual({ status: 200, body: { status: 'ok', lacks: [] } });
      expect(await parts()).toContainEqual(
        expect.objectContaining({
          name: 'jobs',
          status: 'ok',
          figures: { waiting: expect.any(Number) as number },
        }),
      );
      expect((await send(frame())).json()).toEqual({ accepted: 1, rejected: 0 });
    } finally {
      await outage.release();
    }
  });

  it('shows health parts only with the service token', async () => {
    for (const authorization of ['', 'Bearer wrong'])
      expect((await worker.inject({ url: '/health/parts', headers: { authorization } })).statusCode).toBe(
        401,
      );
  });
});
