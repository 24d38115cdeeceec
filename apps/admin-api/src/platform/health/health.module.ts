import type { ClickHouseAnalytics } from '@gw/clickhouse';
import { HealthBoard, partOf } from '@gw/web';
import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AnalyticsModule } from '../../resources/analytics/analytics.module';
import { CLICKHOUSE } from '../logs/analytics-store';
import { REDIS_PUBLISHER, type RedisPublisher } from '../../publishing/redis-publisher';
import { HealthController } from './health.controller';
import { WelcomeController } from './welcome.controller';

@Module({
  imports: [AnalyticsModule],
  controllers: [HealthController, WelcomeController],
  providers: [
    {
      provide: HealthBoard,
      inject: [DataSource, REDIS_PUBLISHER, CLICKHOUSE],
      useFactory: (
        source: DataSource,
        redis: RedisPublisher | null,
        clickhouse: ClickHouseAnalytics | null,
      ) =>
        new HealthBoard([
          partOf('postgres', () => source.query('SELECT 1').then(() => true)),
          ...(redis === null ? [] : [partOf('redis', () => redis.answers())]),
          ...(clickhouse === null ? [] : [partOf('analytics_store', () => clickhouse.answers())]),
        ]),
    },
  ],
})
export class HealthModule {}
