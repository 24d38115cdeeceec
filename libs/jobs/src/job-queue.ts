import { Queue, type JobsOptions } from 'bullmq';
import type { JobSpec } from './job';
import { backendOf, QUEUE, type Backend, type JobStore } from './job-store';

/**
 * Retry options: five attempts within about a minute. A bounded number of finished jobs is kept for
 * inspection.
 */
const JOB_OPTIONS: JobsOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 2_000 },
  removeOnComplete: { count: 200 },
  removeOnFail: { count: 1_000 },
};

function openQueue({ options, factory }: Backend) {
  return new Queue(QUEUE, options, factory);
}

/** Requests and schedules jobs. */
export class JobQueue {
  private readonly queue: ReturnType<typeof openQueue>;
  private readonly redis: Backend['redis'];

  constructor(store: JobStore, onError: (error: unknown) => void) {
    const backend = backendOf(store);
    this.redis = backend.redis;
    this.queue = openQueue(backend);
    this.queue.on('error', onError);
  }

  /** Requests a job. A request with the same `id` does nothing while that job waits or runs. */
  async enqueue<Payload extends object>(spec: JobSpec<Payload>, payload: Payload, id: string): Promise<void> {
    await this.queue.add(spec.name, payload, { ...JOB_OPTIONS, deduplication: { id: `${spec.name}-${id}` } });
  }

  /**
   * Schedules all recurring jobs and removes schedules of jobs that no longer recur. Every worker
   * can call it.
   */
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

  /** Number of jobs that are ready to run and wait for a worker. */
  async waiting(): Promise<number> {
    return this.queue.getWaitingCount();
  }

  async close(): Promise<void> {
    await this.queue.close();
    this.redis?.drop();
  }
}
