import { GatewayError } from '@gw/kernel';
import { Worker, type Job } from 'bullmq';
import type { JobProcessor } from './job';
import { backendOf, QUEUE, type JobStore } from './job-store';

const CONCURRENCY = 4;

function openWorker(store: JobStore, run: (job: Job<object>) => Promise<void>) {
  const { options, factory } = backendOf(store);
  return new Worker(QUEUE, run, { ...options, concurrency: CONCURRENCY }, factory);
}

/** Runs jobs, at most four at a time in this process. */
export class JobWorker {
  private readonly worker: ReturnType<typeof openWorker>;

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
    this.worker = openWorker(store, run);
    this.worker.on('error', (error) => {
      onError(error, null);
    });
    this.worker.on('failed', (job, error) => {
      onError(error, job?.name ?? null);
    });
  }

  /** Stops taking jobs and waits for the running ones. */
  async close(): Promise<void> {
    await this.worker.close();
  }
}
