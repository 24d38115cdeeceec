import { ClickHouseAnalytics } from '@gw/clickhouse';
import { PostgresAnalytics } from '@gw/log-store';
import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AnalyticsGraphsController } from './analytics-graphs.controller';
import { AnalyticsGraphsService } from './analytics-graphs.service';
import { AnalyticsGroupsController } from './analytics-groups.controller';
import { AnalyticsGroupsService } from './analytics-groups.service';
import { AnalyticsScopes } from './analytics-scopes.service';
import { SETTINGS, type AdminSettings } from '../../platform/settings';
import { ANALYTICS_STORE, CLICKHOUSE } from '../../platform/logs/analytics-store';

@Module({
  controllers: [AnalyticsGraphsController, AnalyticsGroupsController],
  providers: [
    AnalyticsScopes,
    AnalyticsGraphsService,
    AnalyticsGroupsService,
    {
      provide: CLICKHOUSE,
      inject: [SETTINGS],
      useFactory: (settings: AdminSettings) =>
        settings.ANALYTICS_STORE === 'clickhouse' ? new ClickHouseAnalytics(settings) : null,
    },
    {
      provide: ANALYTICS_STORE,
      inject: [DataSource, CLICKHOUSE],
      useFactory: (source: DataSource, clickhouse: ClickHouseAnalytics | null) =>
        clickhouse ?? new PostgresAnalytics(source),
    },
  ],
  exports: [CLICKHOUSE],
})
export class AnalyticsModule {}
