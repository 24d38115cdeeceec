import { eventually, testDatabase, withRedis } from '@gw/testing';
import { createLog, type HealthWords } from '@gw/web';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createWorker } from '../app';
import { readWorkerSettings } from '../settings';

const RECEIVER = 'http://127.0.0.1:9/v1/traces';

describe('worker health with Redis', () => {
  let worker: NestFastifyApplication;
  afterAll(() => worker.close());
  const database = testDatabase();
  const redis = withRedis();

  beforeAll(async () => {
    const settings = readWorkerSettings({
      ...{ DATABASE_URL: database.url, REDIS_URL: redis.url, SERVICE_TOKEN: 'a service token of tests' },
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      ...{ DB_POOL_SIZE: '3', LOG_LEVEL: 'error', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: RECEIVER },
    });
    worker = await createWorker(settings, createLog('test', 'silent'));
    await worker.init();
    await worker.getHttpAdapter().getInstance().ready();
  });

  const words = async (): Promise<HealthWords> => (await worker.inject({ url: '/health' })).json();

  it('reports the parts that need Redis as down, stays ready, and recovers when Redis is back', async () => {
    await eventually(async () => (await words()).status === 'ok');
    await redis.kill();
    await eventually(async () => (await words()).parts['redis'] === 'down');
    await eventually(async () => (await words()).parts['log_stream'] === 'down');
    expect((await words()).parts).toMatchObject({ postgres: 'ok', log_store: 'ok', traces: 'ok' });
    const ready = await worker.inject({ url: '/health/ready' });
    expect([ready.statusCode, ready.json<{ lacks: string[] }>().lacks]).toEqual([
      200,
      expect.arrayContaining(['redis', 'log_stream']),
    ]);
    await redis.start();
    await eventually(async () => (await words()).status === 'ok');
  });
});
