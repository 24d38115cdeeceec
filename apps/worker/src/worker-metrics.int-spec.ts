import { INTERNAL } from '@gw/contracts';
import { encodeFrame } from '@gw/journal';
import { freePort, monitoredMetrics, readPrometheus, sampleLogRecord, testDatabase } from '@gw/testing';
import { createLog } from '@gw/web';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createWorker } from './app';
import { readWorkerSettings } from './settings';

const TOKEN = 'a service token of tests';

describe('worker metrics', () => {
  let worker: NestFastifyApplication;
  let port: number;
  afterAll(() => worker.close());
  const database = testDatabase();

  beforeAll(async () => {
    port = await freePort();
    const settings = readWorkerSettings({
      ...{ DATABASE_URL: database.url, SERVICE_TOKEN: TOKEN, DB_POOL_SIZE: '3', LOG_LEVEL: 'error' },
      METRICS_PORT: String(port),
    });
    worker = await createWorker(settings, createLog('test', 'silent'));
    await worker.init();
    await worker.getHttpAdapter().getInstance().ready();
  });

  it('counts records, batches and jobs, and serves every metric that the dashboard and the alerts use', async () => {
    const frame = encodeFrame(JSON.stringify(sampleLogRecord()), null, null) as Buffer;
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/octet-stream' };
    for (let i = 0; i < 2; i += 1) {
      const sent = await worker.inject({ method: 'POST', url: INTERNAL.logs, headers, payload: frame });
      expect(sent.statusCode).toBe(200);
    }
    const response = await fetch(`http://127.0.0.1:${String(port)}/metrics`);
    const families = readPrometheus(await response.text());
    const requested = ['tollgate_ingest', 'tollgate_job', 'tollgate_http'].flatMap(monitoredMetrics);
    expect(requested.length).toBeGreaterThan(4);
    expect(requested.filter((name) => !families.has(name))).toEqual([]);
    const records = families.get('tollgate_ingest_records_total')?.metrics ?? [];
    expect(Object.fromEntries(records.map(({ labels, value }) => [labels?.['result'], value]))).toEqual({
      stored: '1',
      known: '1',
      rejected: '0',
    });
    expect(Number(families.get('tollgate_jobs_waiting')?.metrics[0]?.value)).toBeGreaterThanOrEqual(0);
  });
});
