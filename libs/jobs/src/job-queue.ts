import { Queue, type JobsOptions } from 'bullmq';
import type { JobSpec } from './job';
import { backendOf, QUEUE, type JobStore } from './job-store';

/** Five tries within about a minute. Finished jobs are kept for a look, a bounded number of them. */
const JOB_OPTIONS: JobsOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 2_000 },
  removeOnComplete: { count: 200 },
  removeOnFail: { count: 1_000 },
};

function openQueue(store: JobStore) {
  const { options, factory } = backendOf(store);
  return new Queue(QUEUE, options, factory);
}

/** Asks for jobs. */
export class JobQueue {
  private readonly queue: ReturnType<typeof openQueue>;

  constructor(store: JobStore, onError: (error: unknown) => void) {
    this.queue = openQueue(store);
    this.queue.on('error', onError);
  }

  /** Asking again for a job of the same `id` does nothing while it waits or runs. */
  async enqueue<Payload extends object>(spec: JobSpec<Payload>, payload: Payload, id: string): Promise<void> {
    await this.queue.add(spec.name, payload, { ...JOB_OPTIONS, deduplication: { id: `${spec.name}-${id}` } });
  }

  /** Sets the pace of every job that runs by itself, and ends that of jobs that no longer do. Safe to run from each worker. */
  async schedule(specs: readonly JobSpec[]): Promise<void> {
    const paced = specs.filter(({ everyMs }) => everyMs !== null);
    for (const { name, everyMs, scheduledPayload } of paced) {
      const template = { name, data: scheduledPayload, opts: JOB_OPTIONS };
      await this.queue.upsertJobScheduler(name, { every: everyMs as number }, template);
    }
    for (const scheduler of await this.queue.getJobSchedulers()) {
      const isKnown = paced.some(({ name }) => name === scheduler.key);
      if (!isKnown) await this.queue.removeJobScheduler(scheduler.key);
    }
  }

  /** Jobs that could run now and wait for a worker. */
  async waiting(): Promise<number> {
    return this.queue.getWaitingCount();
  }

  async close(): Promise<void> {
    await this.queue.close();
  }
}
