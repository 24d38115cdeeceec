import { eventually, testDatabase, withRedis } from '@gw/testing';
import { defineJob, type JobProcessor, type JobSpec } from './job';
import { JobQueue } from './job-queue';
import { prepareJobStore, type JobStore } from './job-store';
import { JobWorker } from './job-worker';

/** Both stores must keep these promises. */
describe.each(['postgres', 'redis'] as const)('jobs on %s', (kind) => {
  const database = testDatabase({ empty: true });
  const redis = withRedis();
  let store: JobStore;
  let queue: JobQueue;
  let workers: JobWorker[];
  const errors: unknown[] = [];

  beforeAll(async () => {
    store = { kind, url: kind === 'postgres' ? database.url : redis.url };
    await prepareJobStore(store);
    await prepareJobStore(store);
  });
  beforeEach(() => {
    errors.length = 0;
    workers = [];
    queue = new JobQueue(store, (error) => errors.push(error));
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await queue.close();
  });

  const work = <P extends object>(spec: JobSpec<P>, process: JobProcessor<P>['process']): void => {
    const processor = { spec, process } as unknown as JobProcessor;
    workers.push(new JobWorker(store, new Map([[spec.name, processor]]), (error) => errors.push(error)));
  };

  it('runs a job that was requested, with its payload, and one id once until it has finished', async () => {
    const spec = defineJob({ name: 'on-request', everyMs: null, scheduledPayload: { value: 0 } });
    const seen: number[] = [];
    await queue.enqueue(spec, { value: 1 }, 'same');
    await queue.enqueue(spec, { value: 2 }, 'same');
    await queue.enqueue(spec, { value: 3 }, 'other');
    work(spec, ({ value }) => {
      seen.push(value);
      return Promise.resolve();
    });
    await eventually(() => seen.includes(3));
    expect([...seen].sort()).toEqual([1, 3]);
    await eventually(async () => {
      await queue.enqueue(spec, { value: 4 }, 'same');
      return seen.includes(4);
    });
    // The one before this may have been requested once more; it must not be left to a worker that does not know it.
    await queue.enqueue(spec, { value: 5 }, 'last');
    await eventually(() => seen.includes(5));
  });

  it('runs a scheduled job at its pace by itself, and stops when it is no longer scheduled', async () => {
    const spec = defineJob({ name: 'paced', everyMs: 50, scheduledPayload: {} });
    let runs = 0;
    await queue.schedule([spec]);
    await queue.schedule([spec]);
    work(spec, () => {
      runs += 1;
      return Promise.resolve();
    });
    await eventually(() => runs >= 3);
    await queue.schedule([]);
    await workers.pop()?.close();
    expect(errors).toEqual([]);
  });

  it('tries a job again that failed', async () => {
    const spec = defineJob({ name: 'shaky', everyMs: null, scheduledPayload: {} });
    let runs = 0;
    await queue.enqueue(spec, {}, 'x');
    work(spec, () => {
      runs += 1;
      return runs === 1 ? Promise.reject(new Error('Not this time.')) : Promise.resolve();
    });
    await eventually(() => runs === 2);
    expect(errors).toHaveLength(1);
  });
});
