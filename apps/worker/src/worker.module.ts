import { dataSourceOptions, databaseTls, untilMigrated, type DatabaseTls } from '@gw/entities';
import type { Log } from '@gw/web';
import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { alertProviders } from './alerts/alert-providers';
import { HealthController } from './health/health.controller';
import { healthProviders } from './health/health-providers';
import { ingestProviders } from './ingest/ingest-providers';
import { LogIngestController } from './ingest/log-ingest.controller';
import { jobProviders } from './jobs/job-providers';
import { BalancesController } from './ledger/balances.controller';
import { BudgetStates } from './ledger/budget-states';
import { ledgerProviders } from './ledger/ledger-providers';
import type { WorkerSettings } from './settings';
import { LOG, TLS, TRACES } from './tokens';
import type { TraceExport } from './traces/trace-export';

@Module({})
export class WorkerModule implements OnApplicationShutdown {
  constructor(
    private readonly source: DataSource,
    private readonly states: BudgetStates,
    @Inject(TRACES) private readonly traces: TraceExport | null,
  ) {}

  static with(settings: WorkerSettings, log: Log): DynamicModule {
    const { DATABASE_URL } = settings;
    return {
      module: WorkerModule,
      controllers: [HealthController, LogIngestController, BalancesController],
      providers: [
        { provide: LOG, useValue: log },
        { provide: TLS, useFactory: () => databaseTls(DATABASE_URL, settings) },
        {
          provide: DataSource,
          inject: [TLS],
          useFactory: (tls: DatabaseTls) => openDatabase(settings, tls, log),
        },
        ...ledgerProviders(log),
        ...ingestProviders(settings, log),
        ...alertProviders(settings, log),
        ...jobProviders(settings, log),
        ...healthProviders(),
      ],
    };
  }

  /** Runs after the listener is closed and the last batch is written. */
  async onApplicationShutdown(): Promise<void> {
    await this.states.stop();
    await this.traces?.stop();
    await this.source.destroy();
  }
}

/** Connects to the database and waits until its tables exist, because later providers read them. */
async function openDatabase(settings: WorkerSettings, tls: DatabaseTls, log: Log): Promise<DataSource> {
  const source = await new DataSource(databaseOptions(settings, tls)).initialize();
  await untilMigrated(source, () => {
    log.info('waiting until the database is set up');
  });
  return source;
}

const databaseOptions = ({ DATABASE_URL: url, DB_POOL_SIZE: poolSize }: WorkerSettings, tls: DatabaseTls) =>
  dataSourceOptions({ url, tls, poolSize, applicationName: 'tollgate-worker' });
