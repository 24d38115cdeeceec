import { JOBS } from '@gw/jobs';
import { connectRedis } from '@gw/redis';
import { eventually, withRedis } from '@gw/testing';
import { createLog } from '@gw/web';
import { JobRunner } from './job-runner';

describe('JobRunner', () => {
  const redis = withRedis();

  it('reports the number of waiting jobs, and null while Redis is down', async () => {
    const processors = JOBS.map((spec) => ({ spec, process: () => Promise.resolve() }));
    const store = { kind: 'redis', url: redis.url } as const;
    const runner = new JobRunner(store, processors, createLog('test', 'silent'));
    expect(await runner.waiting()).toBeNull();
    await runner.onApplicationBootstrap();
    const isCounted = async (): Promise<boolean> => (await runner.waiting()) !== null;
    await eventually(isCounted);
    await redis.kill();
    expect(await Promise.all([runner.waiting(), runner.waiting()])).toEqual([null, null]);
    await redis.start();
    await eventually(isCounted);
    await runner.beforeApplicationShutdown();
  });

  it('stops while Redis is down', async () => {
    const processors = JOBS.map((spec) => ({ spec, process: () => Promise.resolve() }));
    const log = createLog('test', 'silent');
    const runner = new JobRunner({ kind: 'redis', url: redis.url }, processors, log);
    await runner.onApplicationBootstrap();
    await eventually(async () => (await runner.waiting()) !== null);
    await redis.kill();
    await eventually(async () => (await runner.waiting()) === null);
    await runner.beforeApplicationShutdown();
    await redis.start();
  });

  it('runs jobs once Redis accepts commands again, and reports no number of waiting jobs before', async () => {
    const runs: string[] = [];
    const processors = JOBS.map((spec) => ({
      spec,
      process: () => Promise.resolve(void runs.push(spec.name)),
    }));
    const client = connectRedis({ url: redis.url, name: 'test' });
    const lines: string[] = [];
    const log = createLog('test', 'error', { write: (line: string) => void lines.push(line) });
    const runner = new JobRunner({ kind: 'redis', url: redis.url }, processors, log);
    try {
      await eventually(() => client.status === 'ready');
      await client.flushall();
      await client.config('SET', 'maxmemory', '1');
      await runner.onApplicationBootstrap();
      await eventually(() => lines.some((line) => line.includes('failed to schedule jobs')));
      expect([await runner.waiting(), runs]).toEqual([null, []]);
      await client.config('SET', 'maxmemory', '0');
      await eventually(() => runs.length > 0);
      await eventually(async () => (await runner.waiting()) !== null);
    } finally {
      await runner.beforeApplicationShutdown();
      client.disconnect();
    }
  });
});
