import type { ClickHouseAnalytics } from '@gw/clickhouse';
import { INTERNAL } from '@gw/contracts';
import { countQuarantinedLogs } from '@gw/log-store';
import type { ModelConfigs } from '@gw/pricing';
import { degraded, down, partOf, WELL, type Part } from '@gw/web';
import type { DataSource } from 'typeorm';
import type { LogBodyPacker } from '../ingest/log-bodies';
import type { LogStreamConsumer } from '../ingest/log-stream.consumer';
import type { JobRunner } from '../jobs/job-runner';
import type { ResealProcessor } from '../jobs/reseal/reseal.processor';
import type { TraceExport } from '../traces/trace-export';

export interface WorkerParts {
  readonly source: DataSource;
  readonly bodies: Pick<LogBodyPacker, 'isFailing'>;
  readonly jobs: Pick<JobRunner, 'waiting'>;
  readonly reseal: Pick<ResealProcessor, 'progress'>;
  /**
   * Optional parts; null when Redis, ClickHouse, configured prices or a trace receiver is not set
   * up.
   */
  readonly stream: Pick<LogStreamConsumer, 'responds' | 'isFailing'> | null;
  readonly clickhouse: Pick<ClickHouseAnalytics, 'responds'> | null;
  readonly prices: Pick<ModelConfigs, 'faults'> | null;
  readonly traces: Pick<TraceExport, 'failingSince'> | null;
}

/**
 * Number of waiting jobs above which the worker reports itself as degraded; a healthy worker runs
 * jobs within seconds.
 */
const WAITING_JOBS_MAX = 1_000;

export function workerParts(options: WorkerParts): readonly Part[] {
  const { stream, clickhouse, prices, traces } = options;
  return [
    partOf('postgres', () => options.source.query('SELECT 1').then(() => true)),
    jobsPart(options.jobs),
    sealedValuesPart(options.reseal),
    {
      name: 'log_store',
      check: () =>
        options.bodies.isFailing
          ? degraded('The log store is unavailable; bodies are stored in the database.')
          : WELL,
    },
    quarantinePart(options.source),
    ...(stream === null ? [] : streamParts(stream)),
    ...(clickhouse === null ? [] : [partOf('analytics_store', () => clickhouse.responds())]),
    ...(prices === null ? [] : [pricesPart(prices)]),
    ...(traces === null ? [] : [tracesPart(traces)]),
  ];
}

const jobsPart = (jobs: Pick<JobRunner, 'waiting'>): Part => ({
  name: 'jobs',
  check: async () => {
    const waiting = await jobs.waiting();
    if (waiting === null) return down('The job store does not respond, or refuses to schedule jobs.');
    const figures = { waiting };
    return {
      ...(waiting > WAITING_JOBS_MAX
        ? degraded(`More than ${String(WAITING_JOBS_MAX)} jobs wait to be run.`)
        : WELL),
      figures,
    };
  },
});

const quarantinePart = (source: DataSource): Part => ({
  name: 'log_quarantine',
  check: async () => {
    const records = await countQuarantinedLogs(source.manager);
    if (records === 0) return WELL;
    const reason = `Log records are in quarantine; see GET ${INTERNAL.quarantinedLogs}.`;
    return { ...degraded(reason), figures: { records } };
  },
});

const sealedValuesPart = (reseal: WorkerParts['reseal']): Part => ({
  name: 'sealed_values',
  check: () => {
    const { progress } = reseal;
    const fault = degraded('Some sealed values cannot be opened with any ENCRYPTION_KEY.');
    return { ...(progress.unopenable > 0 ? fault : WELL), figures: progress };
  },
});

const streamParts = (stream: NonNullable<WorkerParts['stream']>): Part[] => [
  partOf('redis', () => stream.responds()),
  {
    name: 'log_stream',
    check: () => (stream.isFailing ? down('Log records cannot be read from the stream or stored.') : WELL),
  },
];

const pricesPart = (prices: Pick<ModelConfigs, 'faults'>): Part => ({
  name: 'prices',
  check: () => {
    const failing = prices.faults().map(({ kind, provider, source }) => ({ kind, provider, source }));
    if (failing.length === 0) return WELL;
    return {
      ...degraded('Price sources are unavailable; the last good prices are used.'),
      figures: { failing },
    };
  },
});

const tracesPart = (traces: Pick<TraceExport, 'failingSince'>): Part => ({
  name: 'traces',
  check: () => {
    const { failingSince: since } = traces;
    return since === null ? WELL : { ...degraded('The trace receiver does not accept spans.'), since };
  },
});
