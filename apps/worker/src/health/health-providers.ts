import type { ClickHouseAnalytics } from '@gw/clickhouse';
import type { ModelConfigs } from '@gw/pricing';
import { HealthBoard } from '@gw/web';
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LogBodyPacker } from '../ingest/log-bodies';
import type { LogStreamConsumer } from '../ingest/log-stream.consumer';
import { JobRunner } from '../jobs/job-runner';
import { ResealProcessor } from '../jobs/reseal/reseal.processor';
import { CLICKHOUSE, LOG_STREAM, PRICES, TRACES } from '../tokens';
import type { TraceExport } from '../traces/trace-export';
import { workerParts } from './worker-parts';

/** Providers of the health parts. */
export const healthProviders = (): Provider[] => [
  {
    provide: HealthBoard,
    inject: [DataSource, LogBodyPacker, JobRunner, ResealProcessor, LOG_STREAM, CLICKHOUSE, PRICES, TRACES],
    useFactory: (
      source: DataSource,
      bodies: LogBodyPacker,
      jobs: JobRunner,
      reseal: ResealProcessor,
      stream: LogStreamConsumer | null,
      clickhouse: ClickHouseAnalytics | null,
      prices: ModelConfigs | null,
      traces: TraceExport | null,
    ) => new HealthBoard(workerParts({ source, bodies, jobs, reseal, stream, clickhouse, prices, traces })),
  },
];
