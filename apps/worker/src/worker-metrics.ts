import { ScrapedMetrics, type Samples } from '@gw/web';
import type { Registry } from 'prom-client';
import type { LogIngest } from './ingest/log-ingest';
import type { JobRunner } from './jobs/job-runner';

/** Registers the metrics of a worker. */
export function registerWorkerMetrics(registry: Registry, ingest: LogIngest, jobs: JobRunner): void {
  const metrics = new ScrapedMetrics(registry);
  registerIngest(metrics, ingest);
  registerJobs(metrics, jobs);
}

function registerIngest(metrics: ScrapedMetrics, ingest: LogIngest): void {
  const { counts, quarantine } = ingest;
  const results = ['result'];
  metrics.counters(
    'tollgate_ingest_records_total',
    'Log records that came, by what became of them.',
    results,
    () => (['stored', 'known', 'rejected'] as const).map((result) => [{ result }, counts[result]]),
  );
  metrics.counter(
    'tollgate_ingest_skewed_total',
    'Log records of a clock that is far off, stored under the time of their arrival.',
    () => counts.skewed,
  );
  metrics.counters(
    'tollgate_ingest_batches_total',
    'Batches of log records; those that failed come again.',
    results,
    () => [
      [{ result: 'stored' }, counts.batches],
      [{ result: 'failed' }, counts.failed],
    ],
  );
  metrics.counters(
    'tollgate_ingest_quarantine_total',
    'Log records put into quarantine, and older ones that made room for them.',
    results,
    () => (['quarantined', 'dropped'] as const).map((result) => [{ result }, quarantine.counts[result]]),
  );
  metrics.gauge('tollgate_ingest_busy', 'Batches at work.', () => ingest.busy);
}

function registerJobs(metrics: ScrapedMetrics, jobs: JobRunner): void {
  const families = [
    ['tollgate_job_runs_total', 'Jobs that this worker ran.', 'runs'],
    ['tollgate_job_failures_total', 'Jobs that failed here; they are tried again.', 'failures'],
    ['tollgate_job_seconds_total', 'Time that jobs took here.', 'seconds'],
  ] as const;
  for (const [name, help, field] of families) {
    metrics.counters(name, help, ['job'], function* (): Samples {
      for (const [job, values] of jobs.counts) yield [{ job }, values[field]];
    });
  }
  metrics.gauge(
    'tollgate_jobs_waiting',
    'Jobs that could run now; -1 while the job store does not answer.',
    async () => (await jobs.waiting()) ?? -1,
  );
}
