import type { ClickHouseAnalytics } from '@gw/clickhouse';
import { dataSourceOptions, databaseTls, type DatabaseSettings } from '@gw/entities';
import { EtagInterceptor, HealthBoard, partOf, RequestValidationPipe, type Log } from '@gw/web';
import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ConsoleModule } from './console/console.module';
import { HealthController } from './platform/health/health.controller';
import { WelcomeController } from './platform/health/welcome.controller';
import { CLICKHOUSE } from './platform/logs/stores';
import { PlatformModule } from './platform/platform.module';
import { ReadModelModule } from './publishing/read-model.module';
import { REDIS_PUBLISHER, type RedisPublisher } from './publishing/redis-publisher';
import { ResourcesModule } from './resources/resources.module';
import { AuditRecorder } from './platform/unit-of-work/audit-recorder';
import { AuditingErrorFilter } from './platform/audit/auditing-error-filter';
import { DryRunInterceptor } from './platform/dry-runs/dry-run.interceptor';
import { FixedMembersInterceptor } from './platform/fixed-members/fixed-members.interceptor';
import { IdempotencyInterceptor } from './platform/idempotency/idempotency.interceptor';
import { IdempotentRequests } from './platform/idempotency/idempotent-requests';
import { WrittenEtagInterceptor } from './platform/unit-of-work/written-etag.interceptor';
import type { AdminSettings } from './settings';

const HEALTH: FactoryProvider = {
  provide: HealthBoard,
  inject: [DataSource, REDIS_PUBLISHER, CLICKHOUSE],
  useFactory: (source: DataSource, redis: RedisPublisher | null, clickhouse: ClickHouseAnalytics | null) =>
    new HealthBoard([
      partOf('postgres', () => source.query('SELECT 1').then(() => true)),
      ...(redis === null ? [] : [partOf('redis', () => redis.responds())]),
      ...(clickhouse === null ? [] : [partOf('analytics_store', () => clickhouse.responds())]),
    ]),
};

/** Maximum waits of requests for the database. */
export type DatabaseWaits = Pick<
  DatabaseSettings,
  'statementTimeoutMs' | 'lockTimeoutMs' | 'connectTimeoutMs'
>;

/**
 * Bounds lock waits, so that requests on a locked table do not use up the connections that other
 * routes need.
 */
export const DATABASE_WAITS: DatabaseWaits = { lockTimeoutMs: 3_000 };

@Module({})
export class AppModule {
  static with(settings: AdminSettings, log: Log, waits: DatabaseWaits): DynamicModule {
    const database = {
      url: settings.DATABASE_URL,
      poolSize: settings.DB_POOL_SIZE,
      applicationName: 'tollgate-admin-api',
      ...waits,
    };
    return {
      module: AppModule,
      imports: [
        PlatformModule.with(settings),
        TypeOrmModule.forRootAsync({
          useFactory: async () => ({
            ...dataSourceOptions({ ...database, tls: await databaseTls(database.url, settings) }),
            retryAttempts: 0,
          }),
        }),
        ReadModelModule,
        ResourcesModule,
        ConsoleModule,
      ],
      controllers: [HealthController, WelcomeController],
      providers: [
        HEALTH,
        { provide: APP_PIPE, useClass: RequestValidationPipe },
        { provide: APP_INTERCEPTOR, useClass: EtagInterceptor },
        { provide: APP_INTERCEPTOR, useClass: DryRunInterceptor },
        IdempotentRequests,
        { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
        { provide: APP_INTERCEPTOR, useClass: WrittenEtagInterceptor },
        { provide: APP_INTERCEPTOR, useClass: FixedMembersInterceptor },
        {
          provide: APP_FILTER,
          inject: [DataSource, AuditRecorder],
          useFactory: (dataSource: DataSource, audits: AuditRecorder) =>
            new AuditingErrorFilter(log, dataSource, audits),
        },
      ],
    };
  }
}
