import { fetchJson, readJsonFile } from '@gw/outbound';
import { createModelConfigs, hasPriceSources } from '@gw/pricing';
import type { Log } from '@gw/web';
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LedgerBook } from '../../ledger/ledger-book';
import type { WorkerSettings } from '../../settings';
import { LogPricer } from './log-pricer';
import { RepricingsProcessor } from './repricings.processor';

/** Prices come from where gateways have them: the same settings name the sources. */
export const repricingProviders = (settings: WorkerSettings, log: Log): Provider[] => [
  {
    provide: RepricingsProcessor,
    inject: [DataSource, LedgerBook],
    useFactory: (source: DataSource, book: LedgerBook) => {
      const configs = hasPriceSources(settings)
        ? createModelConfigs({
            settings,
            readers: { fetch: fetchJson, logStore: readJsonFile, file: readJsonFile },
            alarm: ({ kind, provider, source: from, reason }) => {
              log.error({ kind, provider, source: from, reason }, 'a model configuration cannot be used');
            },
          })
        : null;
      return new RepricingsProcessor(source, book, new LogPricer(configs));
    },
  },
];
