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

/**
 * Milliseconds after which a count without a result is given up; commands wait for a Redis that is
 * down.
 */
const COUNT_MS = 1_000;
/**
 * Milliseconds before a refused schedule is sent again: the first time, and the maximum, which is
 * reached by doubling.
 */
const SCHEDULE_AGAIN_MS = { first: 500, max: 30_000 } as const;

/** Schedules recurring jobs and runs jobs. */
export class JobRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly processors: ReadonlyMap<string, JobProcessor>;
  /** Counts of runs and failures in this process since the start, by job. */
  readonly counts = new Map<string, { runs: number; failures: number; seconds: number }>();
  private queue: JobQueue | undefined;
  private worker: JobWorker | undefined;
  private readonly stopping = new AbortController();
  private isScheduled = false;
  /**
   * The count in progress, which later calls share, so that an unresponsive store accumulates none.
   */
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

  /**
   * Number of jobs that are ready to run; null while the job store does not respond within a
   * second, and until the recurring jobs are scheduled.
   */
  async waiting(): Promise<number | null> {
    if (!this.queue || !this.isScheduled) return null;
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
   * Starts the jobs. Redis may be down or refuse commands, as one without free memory does; the
   * rest of the worker runs, and the jobs start once Redis accepts them. Rejects if Postgres is
   * down.
   */
  async onApplicationBootstrap(): Promise<void> {
    await prepareJobStore(this.store);
    const failure =
      this.store.kind === 'redis' ? 'failed to use Redis for jobs' : 'failed to use the job store';
    const queue = new JobQueue(this.store, (error) => {
      this.log.warn(describeFault(error), failure);
    });
    this.queue = queue;
    const work = (): void => {
      if (this.isStopping) return;
      this.worker ??= new JobWorker(this.store, this.processors, (error, job) => {
        this.log.warn({ job, ...describeFault(error) }, job === null ? failure : 'job failed');
      });
    };
    if (this.store.kind === 'redis') void this.scheduleUntilAccepted(queue, work);
    else {
      await this.schedule(queue);
      work();
    }
  }

  private async schedule(queue: JobQueue): Promise<void> {
    await queue.schedule(JOBS);
    this.isScheduled = true;
  }

  /**
   * Schedules the jobs, and repeats that with longer and longer waits until Redis accepts it. Calls
   * `work` after the first attempt, since requested jobs can run before the recurring ones are
   * scheduled. Never rejects.
   */
  private async scheduleUntilAccepted(queue: JobQueue, work: () => void): Promise<void> {
    const { signal } = this.stopping;
    const { first, max } = SCHEDULE_AGAIN_MS;
    for (let waitMs: number = first; !this.isStopping; waitMs = Math.min(2 * waitMs, max)) {
      try {
        await this.schedule(queue);
      } catch (error) {
        if (!this.isStopping) this.log.error(describeFault(error), 'failed to schedule jobs');
      }
      work();
      if (this.isScheduled) return;
      await delay(waitMs, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.worker?.close();
    await this.queue?.close();
  }
}
