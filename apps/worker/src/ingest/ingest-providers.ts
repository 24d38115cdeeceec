import { ClickHouseAnalytics } from '@gw/clickhouse';
import { SettingsError } from '@gw/kernel';
import { operatorsClient } from '@gw/outbound';
import { openLogStores, type LogStores } from '@gw/object-store';
import type { Log } from '@gw/web';
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LedgerBook } from '../ledger/ledger-book';
import { masterKeys, type WorkerSettings } from '../settings';
import { CLICKHOUSE, LOG, LOG_STREAM, STORES, TRACES } from '../tokens';
import { otlpHeaders, TraceExport } from '../traces/trace-export';
import { LogBodyPacker } from './log-bodies';
import { LogIngest } from './log-ingest';
import { LogPartitions } from './log-partitions.service';
import { LogStreamConsumer } from './log-stream.consumer';
import { RollupMerger } from './rollup-merger';

/** Providers that turn log records from gateways into rows, bodies, rollups and spans. */
export const ingestProviders = (settings: WorkerSettings, log: Log): Provider[] => [
  {
    // Creates the partitions before the first record, so that no record waits for the job.
    provide: LogPartitions,
    inject: [DataSource],
    useFactory: async (source: DataSource) => {
      const partitions = new LogPartitions(source, settings.LOG_RETENTION_DAYS);
      await partitions.prepareAhead();
      return partitions;
    },
  },
  {
    provide: STORES,
    inject: [DataSource],
    useFactory: (source: DataSource) =>
      openLogStores(settings, (sql, parameters) => source.query(sql, parameters)),
  },
  {
    provide: LogBodyPacker,
    inject: [STORES],
    useFactory: ({ bodies }: LogStores) => new LogBodyPacker(bodies, log),
  },
  {
    provide: RollupMerger,
    inject: [DataSource],
    useFactory: (source: DataSource) => new RollupMerger(source, log),
  },
  { provide: CLICKHOUSE, useFactory: () => clickHouseOf(settings) },
  { provide: TRACES, useFactory: () => traceExportOf(settings) },
  {
    provide: LogIngest,
    inject: [TRACES, CLICKHOUSE, DataSource, LogPartitions, LedgerBook, LogBodyPacker, LOG],
    useFactory: (
      traces: TraceExport | null,
      clickhouse: ClickHouseAnalytics | null,
      ...parts: ConstructorParameters<typeof LogIngest>
    ): LogIngest => {
      const ingest = new LogIngest(...parts);
      if (clickhouse) {
        ingest.addUp = (rows) => clickhouse.add(rows);
        // Safe to repeat: ClickHouse replaces a row that it already has.
        ingest.correctSums = (_manager, _before, after) => clickhouse.add(after);
      }
      if (traces)
        ingest.onStored = (rows) => {
          const without = traces.add(rows);
          if (without.length > 0)
            log.warn(
              { records: without.length, logId: without[0] },
              'failed to create spans from log records',
            );
        };
      return ingest;
    },
  },
  {
    provide: LOG_STREAM,
    inject: [LogIngest],
    useFactory: (ingest: LogIngest) => logStreamOf(settings, ingest, log),
  },
];

function logStreamOf(settings: WorkerSettings, ingest: LogIngest, log: Log): LogStreamConsumer | null {
  const { REDIS_URL: redisUrl } = settings;
  const masters = masterKeys(settings);
  if (redisUrl === null) return null;
  if (masters === null)
    throw new SettingsError([
      { name: 'ENCRYPTION_KEY', rule: 'is required with REDIS_URL: log records wait there sealed by it' },
    ]);
  return new LogStreamConsumer(redisUrl, masters, ingest, log);
}

/** Rejects when the analytics store is unusable, so that no request goes uncounted. */
async function clickHouseOf(settings: WorkerSettings): Promise<ClickHouseAnalytics | null> {
  if (settings.ANALYTICS_STORE !== 'clickhouse') return null;
  const clickhouse = new ClickHouseAnalytics(settings);
  await clickhouse.prepare();
  return clickhouse;
}

/**
 * Resolves the endpoint of traces: the general endpoint gets the path of traces appended, the trace
 * endpoint is used unchanged.
 */
function traceExportOf(settings: WorkerSettings): TraceExport | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = settings;
  const url = own ?? (base === null ? null : `${base.replace(/\/$/, '')}/v1/traces`);
  if (url === null) return null;
  return new TraceExport({
    client: operatorsClient(url, settings),
    url,
    headers: otlpHeaders(settings.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMs: settings.OTEL_EXPORTER_OTLP_TIMEOUT,
    serviceName: settings.OTEL_SERVICE_NAME,
  });
}
