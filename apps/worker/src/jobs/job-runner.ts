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
import { setTimeout as delay } from 'node:timers/promises';

/** Commands wait for a Redis that is down, so a count without a result after this time is given up. */
const COUNT_MS = 1_000;

/** Schedules recurring jobs and runs jobs. */
export class JobRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly processors: ReadonlyMap<string, JobProcessor>;
  /** Counts of runs and failures in this process since the start, by job. */
  readonly counts = new Map<string, { runs: number; failures: number; seconds: number }>();
  private queue: JobQueue | undefined;
  private worker: JobWorker | undefined;
  private stopped = false;
  /** The count in progress: an unresponsive store accumulates none. */
  private counting: Promise<number | null> | null = null;

  /** Throws unless every job has exactly one processor. */
  constructor(
    private readonly store: JobStore,
    processors: readonly JobProcessor[],
    private readonly log: Log,
  ) {
    this.processors = new Map(
      [...processorsByName(JOBS, processors)].map(([name, processor]) => [
        name,
        this.counted(name, processor),
      ]),
    );
  }

  private counted(name: string, processor: JobProcessor): JobProcessor {
    const counts = { runs: 0, failures: 0, seconds: 0 };
    this.counts.set(name, counts);
    const process = async (payload: object): Promise<void> => {
      const startedAt = performance.now();
      try {
        await processor.process(payload);
      } catch (error) {
        counts.failures += 1;
        throw error;
      } finally {
        counts.runs += 1;
        counts.seconds += (performance.now() - startedAt) / 1_000;
      }
    };
    return { spec: processor.spec, process };
  }

  /** Number of jobs that are ready to run; null while the job store does not respond within a second. */
  async waiting(): Promise<number | null> {
    if (!this.queue) return null;
    this.counting ??= this.queue
      .waiting()
      .catch(() => null)
      .finally(() => (this.counting = null));
    const counted = new AbortController();
    const late = delay(COUNT_MS, null, { ref: false, signal: counted.signal }).catch(() => null);
    const waiting = await Promise.race([this.counting, late]);
    counted.abort();
    return waiting;
  }

  /**
   * Starts the jobs. Redis may be down; the rest of the worker runs, and the jobs start once Redis
   * responds.
   */
  async onApplicationBootstrap(): Promise<void> {
    await prepareJobStore(this.store);
    const failure =
      this.store.kind === 'redis' ? 'failed to use Redis for jobs' : 'failed to use the job store';
    const queue = new JobQueue(this.store, (error) => {
      this.log.warn(describeFault(error), failure);
    });
    this.queue = queue;
    const begin = async (): Promise<void> => {
      await queue.schedule(JOBS);
      if (this.stopped) return;
      this.worker = new JobWorker(this.store, this.processors, (error, job) => {
        this.log.warn({ job, ...describeFault(error) }, job === null ? failure : 'job failed');
      });
    };
    if (this.store.kind === 'postgres') await begin();
    else
      begin().catch((error: unknown) => {
        if (!this.stopped) this.log.error(describeFault(error), 'failed to schedule jobs');
      });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.worker?.close();
    await this.queue?.close();
  }
}
