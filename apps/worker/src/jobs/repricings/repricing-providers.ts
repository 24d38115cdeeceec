import type { ClickHouseAnalytics } from '@gw/clickhouse';
import { fetchJson, readJsonFile } from '@gw/outbound';
import { createModelConfigs, hasPriceSources } from '@gw/pricing';
import type { Log } from '@gw/web';
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LedgerBook } from '../../ledger/ledger-book';
import type { WorkerSettings } from '../../settings';
import { CLICKHOUSE } from '../../tokens';
import { LogPricer } from './log-pricer';
import { RepricingsProcessor } from './repricings.processor';

/** Prices come from where gateways have them: the same settings name the sources. */
export const repricingProviders = (settings: WorkerSettings, log: Log): Provider[] => [
  {
    provide: RepricingsProcessor,
    inject: [DataSource, LedgerBook, CLICKHOUSE],
    useFactory: (source: DataSource, book: LedgerBook, clickhouse: ClickHouseAnalytics | null) => {
      const configs = hasPriceSources(settings)
        ? createModelConfigs({
            settings,
            readers: { fetch: fetchJson, logStore: readJsonFile, file: readJsonFile },
            alarm: ({ kind, provider, source: from, reason }) => {
              log.error({ kind, provider, source: from, reason }, 'a model configuration cannot be used');
            },
          })
        : null;
      const processor = new RepricingsProcessor(source, book, new LogPricer(configs));
      // A row that comes again replaces itself.
      if (clickhouse) processor.correctSums = (_manager, _before, after) => clickhouse.add(after);
      return processor;
    },
  },
];
