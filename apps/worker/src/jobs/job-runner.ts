import {
  JobQueue,
  JOBS,
  JobWorker,
  prepareJobStore,
  processorsByName,
  type JobProcessor,
  type JobStore,
} from '@gw/jobs';
import { describeFault, type Log } from '@gw/web';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';

/** Sets the pace of the jobs that run by themselves, and runs jobs. */
export class JobRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly processors: ReadonlyMap<string, JobProcessor>;
  private queue: JobQueue | undefined;
  private worker: JobWorker | undefined;

  /** Throws unless every job has exactly one processor. */
  constructor(
    private readonly store: JobStore,
    processors: readonly JobProcessor[],
    private readonly log: Log,
  ) {
    this.processors = processorsByName(JOBS, processors);
  }

  async onApplicationBootstrap(): Promise<void> {
    await prepareJobStore(this.store);
    this.queue = new JobQueue(this.store, (error) => {
      this.log.warn(describeFault(error), 'the job store fails');
    });
    await this.queue.schedule(JOBS);
    this.worker = new JobWorker(this.store, this.processors, (error, job) => {
      this.log.warn({ job, ...describeFault(error) }, job === null ? 'the job store fails' : 'a job failed');
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker?.close();
    await this.queue?.close();
  }
}
