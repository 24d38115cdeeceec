import type { ClickHouseAnalytics } from '@gw/clickhouse';
import { fetchJson, readJsonFile } from '@gw/outbound';
import { createModelConfigs, hasPriceSources, type ModelConfigs } from '@gw/pricing';
import type { Log } from '@gw/web';
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LedgerBook } from '../../ledger/ledger-book';
import type { WorkerSettings } from '../../settings';
import { CLICKHOUSE, PRICES } from '../../tokens';
import { LogPricer } from './log-pricer';
import { RepricingsProcessor } from './repricings.processor';

/** Providers of prices. The settings name the same sources that gateways use. */
export const repricingProviders = (settings: WorkerSettings, log: Log): Provider[] => [
  {
    provide: PRICES,
    useFactory: () =>
      hasPriceSources(settings)
        ? createModelConfigs({
            settings,
            readers: { fetch: fetchJson, logStore: readJsonFile, file: readJsonFile },
            alarm: ({ kind, provider, source: from, reason }) => {
              log.error({ kind, provider, source: from, reason }, 'model configuration is invalid');
            },
          })
        : null,
  },
  {
    provide: RepricingsProcessor,
    inject: [DataSource, LedgerBook, PRICES, CLICKHOUSE],
    useFactory: (
      source: DataSource,
      book: LedgerBook,
      prices: ModelConfigs | null,
      clickhouse: ClickHouseAnalytics | null,
    ) => {
      const processor = new RepricingsProcessor(source, book, new LogPricer(prices));
      // Safe to repeat: ClickHouse replaces a row that it already has.
      if (clickhouse) processor.correctSums = (_manager, _before, after) => clickhouse.add(after);
      return processor;
    },
  },
];
