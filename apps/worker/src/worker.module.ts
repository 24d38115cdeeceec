import { dataSourceOptions } from '@gw/entities';
import type { JobProcessor, JobStore } from '@gw/jobs';
import { databaseTls, type DatabaseTls } from '@gw/kernel';
import { describeFault, type Log } from '@gw/web';
import { Module, type DynamicModule, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { HealthController, LOG_STREAM } from './health.controller';
import { LogIngest } from './ingest/log-ingest';
import { LogIngestController } from './ingest/log-ingest.controller';
import { LogPartitions } from './ingest/log-partitions.service';
import { LogStreamConsumer } from './ingest/log-stream.consumer';
import { BalancesController } from './ledger/balances.controller';
import { LedgerBook } from './ledger/ledger-book';
import { BudgetStates } from './ledger/budget-states';
import { BudgetsProcessor } from './jobs/budgets/budgets.processor';
import { ExpiryProcessor } from './jobs/expiry/expiry.processor';
import { JobRunner } from './jobs/job-runner';
import { LogPartitionsProcessor } from './jobs/log-partitions/log-partitions.processor';
import type { WorkerSettings } from './settings';

const LOG = Symbol('log');
const TLS = Symbol('tls');

@Module({})
export class WorkerModule implements OnApplicationShutdown {
  constructor(
    private readonly source: DataSource,
    private readonly states: BudgetStates,
  ) {}

  static with(settings: WorkerSettings, log: Log): DynamicModule {
    const { DATABASE_URL, REDIS_URL, DB_POOL_SIZE } = settings;
    const jobStoreOf = (tls: DatabaseTls): JobStore =>
      REDIS_URL === null ? { kind: 'postgres', url: DATABASE_URL, tls } : { kind: 'redis', url: REDIS_URL };
    return {
      module: WorkerModule,
      controllers: [HealthController, LogIngestController, BalancesController],
      providers: [
        { provide: LOG, useValue: log },
        { provide: TLS, useFactory: () => databaseTls(DATABASE_URL, settings) },
        {
          provide: DataSource,
          inject: [TLS],
          useFactory: (tls: DatabaseTls) =>
            new DataSource(
              dataSourceOptions({
                url: DATABASE_URL,
                tls,
                poolSize: DB_POOL_SIZE,
                applicationName: 'tollgate-worker',
              }),
            ).initialize(),
        },
        {
          // No record must ever wait for a partition that only a job would make.
          provide: LogPartitions,
          inject: [DataSource],
          useFactory: async (source: DataSource) => {
            const partitions = new LogPartitions(source);
            await partitions.prepareAhead();
            return partitions;
          },
        },
        ...ledgerProviders(settings, log),
        {
          provide: LogIngest,
          inject: [DataSource, LogPartitions, LedgerBook, LOG],
          useFactory: (...parts: ConstructorParameters<typeof LogIngest>) => new LogIngest(...parts),
        },
        {
          provide: LOG_STREAM,
          inject: [LogIngest],
          useFactory: (ingest: LogIngest) =>
            REDIS_URL === null ? null : new LogStreamConsumer(REDIS_URL, ingest, log),
        },
        LogPartitionsProcessor,
        {
          provide: ExpiryProcessor,
          inject: [DataSource],
          useFactory: (source: DataSource) => new ExpiryProcessor(source, settings.AUDIT_LOGS_ENABLED),
        },
        {
          provide: JobRunner,
          inject: [TLS, LogPartitionsProcessor, ExpiryProcessor, BudgetsProcessor],
          useFactory: (tls: DatabaseTls, ...processors: JobProcessor[]) =>
            new JobRunner(jobStoreOf(tls), processors, log),
        },
      ],
    };
  }

  /** After the listener is closed and the last batch is written. */
  async onApplicationShutdown(): Promise<void> {
    await this.states.stop();
    await this.source.destroy();
  }
}

/** The durable record of budgets, their status and their resets. */
const ledgerProviders = (settings: WorkerSettings, log: Log): Provider[] => [
  {
    provide: LedgerBook,
    inject: [DataSource],
    useFactory: (source: DataSource) => new LedgerBook(source),
  },
  {
    provide: BudgetStates,
    inject: [DataSource, LedgerBook],
    useFactory: (source: DataSource, book: LedgerBook) => {
      const states = new BudgetStates(source, book, (error) => {
        log.warn(describeFault(error), 'the status of a budget could not be brought up to date');
      });
      book.onTouched = (budgets) => states.touched(budgets);
      return states;
    },
  },
  {
    provide: BudgetsProcessor,
    inject: [DataSource, BudgetStates],
    useFactory: (source: DataSource, states: BudgetStates) =>
      new BudgetsProcessor(source, states, settings.AUDIT_LOGS_ENABLED),
  },
];
