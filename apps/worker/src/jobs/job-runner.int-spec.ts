import { JOBS } from '@gw/jobs';
import { eventually, withRedis } from '@gw/testing';
import { createLog } from '@gw/web';
import { JobRunner } from './job-runner';

describe('JobRunner', () => {
  const redis = withRedis();

  it('reports the number of waiting jobs, and none while Redis is down', async () => {
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
});
