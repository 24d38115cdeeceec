import { Exposition } from '@gw/web';
import type { Registry } from 'prom-client';
import type { LogIngest } from './ingest/log-ingest';
import type { JobRunner } from './jobs/job-runner';

/** Writes all metrics of a worker, on request. */
export const workerMetrics =
  (registry: Registry, ingest: LogIngest, jobs: JobRunner): (() => Promise<string>) =>
  async () => {
    const out = new Exposition();
    writeIngest(out, ingest);
    writeJobs(out, jobs);
    out.single(
      'tollgate_jobs_waiting',
      'gauge',
      'Jobs that could run now; -1 while the job store does not answer.',
      (await jobs.waiting()) ?? -1,
    );
    return out.text() + (await registry.metrics());
  };

function writeIngest(out: Exposition, { counts, busy, quarantine }: LogIngest): void {
  const records = 'tollgate_ingest_records_total';
  out.family(records, 'counter', 'Log records that came, by what became of them.');
  for (const result of ['stored', 'known', 'rejected'] as const)
    out.sample(records, counts[result], { result });
  out.single(
    'tollgate_ingest_skewed_total',
    'counter',
    'Log records of a clock that is far off, stored under the time of their arrival.',
    counts.skewed,
  );
  const batches = 'tollgate_ingest_batches_total';
  out.family(batches, 'counter', 'Batches of log records; those that failed come again.');
  out
    .sample(batches, counts.batches, { result: 'stored' })
    .sample(batches, counts.failed, { result: 'failed' });
  const set = 'tollgate_ingest_quarantine_total';
  out.family(set, 'counter', 'Log records put into quarantine, and older ones that made room for them.');
  for (const result of ['quarantined', 'dropped'] as const)
    out.sample(set, quarantine.counts[result], { result });
  out.single('tollgate_ingest_busy', 'gauge', 'Batches at work.', busy);
}

function writeJobs(out: Exposition, { counts }: JobRunner): void {
  const families = [
    ['tollgate_job_runs_total', 'Jobs that this worker ran.', 'runs'],
    ['tollgate_job_failures_total', 'Jobs that failed here; they are tried again.', 'failures'],
    ['tollgate_job_seconds_total', 'Time that jobs took here.', 'seconds'],
  ] as const;
  for (const [name, help, field] of families) {
    out.family(name, 'counter', help);
    for (const [job, values] of counts) out.sample(name, values[field], { job });
  }
}
