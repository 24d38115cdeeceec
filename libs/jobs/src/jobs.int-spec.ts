import { eventually, testDatabase, withRedis } from '@gw/testing';
import { defineJob, type JobProcessor, type JobSpec } from './job';
import { JobQueue } from './job-queue';
import { prepareJobStore, type JobStore } from './job-store';
import { JobWorker } from './job-worker';

/** Tests the guarantees that both job stores give. */
describe.each(['postgres', 'redis'] as const)('JobQueue and JobWorker on %s', (kind) => {
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

  it('runs a requested job with its payload, and ignores requests with its id until it has finished', async () => {
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
    // The loop above may have requested one more run. It must not reach the worker of the next
    // test, which does not know this job.
    await queue.enqueue(spec, { value: 5 }, 'last');
    await eventually(() => seen.includes(5));
  });

  it('runs a scheduled job repeatedly, and stops when it is no longer scheduled', async () => {
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

  it('retries a failed job', async () => {
    const spec = defineJob({ name: 'shaky', everyMs: null, scheduledPayload: {} });
    let runs = 0;
    await queue.enqueue(spec, {}, 'x');
    work(spec, () => {
      runs += 1;
      return runs === 1 ? Promise.reject(new Error('Not this time.')) : Promise.resolve();
    });
    await eventually(() => runs === 2);
    // A run of the previous test's job may still be queued; this worker does not know that job, so
    // other errors are possible.
    expect(
      errors.filter((error) => error instanceof Error && error.message === 'Not this time.'),
    ).toHaveLength(1);
  });
});
