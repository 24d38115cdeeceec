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
  metrics.counters('tollgate_ingest_records_total', 'Received log records, by result.', results, () =>
    (['stored', 'known', 'rejected'] as const).map((result) => [{ result }, counts[result]]),
  );
  metrics.counter(
    'tollgate_ingest_skewed_total',
    'Log records of a skewed clock, stored under their time of arrival.',
    () => counts.skewed,
  );
  metrics.counters(
    'tollgate_ingest_batches_total',
    'Batches of log records by result; gateways repeat failed batches.',
    results,
    () => [
      [{ result: 'stored' }, counts.batches],
      [{ result: 'failed' }, counts.failed],
    ],
  );
  metrics.counters(
    'tollgate_ingest_quarantine_total',
    'Quarantined log records, and older ones that were dropped for them.',
    results,
    () => (['quarantined', 'dropped'] as const).map((result) => [{ result }, quarantine.counts[result]]),
  );
  metrics.gauge('tollgate_ingest_busy', 'Batches at work.', () => ingest.busy);
}

function registerJobs(metrics: ScrapedMetrics, jobs: JobRunner): void {
  const families = [
    ['tollgate_job_runs_total', 'Job runs of this worker.', 'runs'],
    ['tollgate_job_failures_total', 'Job runs that failed in this worker; they are retried.', 'failures'],
    ['tollgate_job_seconds_total', 'Time that jobs took in this worker, in seconds.', 'seconds'],
  ] as const;
  for (const [name, help, field] of families) {
    metrics.counters(name, help, ['job'], function* (): Samples {
      for (const [job, values] of jobs.counts) yield [{ job }, values[field]];
    });
  }
  metrics.gauge(
    'tollgate_jobs_waiting',
    'Jobs that are ready to run; -1 while the job store does not respond.',
    async () => (await jobs.waiting()) ?? -1,
  );
}
