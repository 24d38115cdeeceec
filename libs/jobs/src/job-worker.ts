import { GatewayError } from '@gw/kernel';
import { Worker, type Job } from 'bullmq';
import type { JobProcessor } from './job';
import { backendOf, QUEUE, type Backend, type JobStore } from './job-store';

const CONCURRENCY = 4;

function openWorker({ options, factory }: Backend, run: (job: Job<object>) => Promise<void>) {
  return new Worker(QUEUE, run, { ...options, concurrency: CONCURRENCY }, factory);
}

/** Runs jobs, at most four at a time in this process. */
export class JobWorker {
  private readonly worker: ReturnType<typeof openWorker>;
  private readonly redis: Backend['redis'];
  private readonly running = new Set<Promise<void>>();

  /** Starts the worker. `processors` come from `processorsByName`. */
  constructor(
    store: JobStore,
    processors: ReadonlyMap<string, JobProcessor>,
    onError: (error: unknown, job: string | null) => void,
  ) {
    const run = async (job: Job<object>): Promise<void> => {
      const processor = processors.get(job.name);
      // A newer release may have requested the job; its workers process a later attempt.
      if (!processor) throw new GatewayError('internal_error', { message: `No processor for ${job.name}.` });
      await processor.process(job.data);
    };
    const backend = backendOf(store);
    this.redis = backend.redis;
    this.worker = openWorker(backend, async (job) => {
      const running = run(job);
      this.running.add(running);
      await running.finally(() => this.running.delete(running));
    });
    this.worker.on('error', (error) => {
      onError(error, null);
    });
    this.worker.on('failed', (job, error) => {
      onError(error, job?.name ?? null);
    });
  }

  /**
   * Stops taking jobs and waits for the running ones. A job that ends while Redis is down runs
   * again. BullMQ itself would wait for Redis, and without end for a connection that is being
   * reestablished (https://github.com/taskforcesh/bullmq/issues/4656).
   */
  async close(): Promise<void> {
    if (this.redis?.areReady === false) {
      await this.worker.pause(true);
      await Promise.allSettled(this.running);
      await this.worker.close(true);
    } else await this.worker.close();
    this.redis?.drop();
  }
}
