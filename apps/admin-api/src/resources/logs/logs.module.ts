import { openLogStores, type LogStores } from '@gw/object-store';
import { Module } from '@nestjs/common';
import { SETTINGS, type AdminSettings } from '../../platform/settings';
import { LogBodiesReader } from './log-bodies.reader';
import { DataSource } from 'typeorm';
import { CustomLogsService } from './custom-logs.service';
import { FeedbackController } from './feedback.controller';
import { FeedbackService } from './feedback.service';
import { LogSearch } from './log-search';
import { LogTail } from './log-tail';
import { LogsController } from './logs.controller';
import { LogsService } from './logs.service';

/** `LogStores` */
export const LOG_STORES = Symbol('log stores');

@Module({
  controllers: [LogsController, FeedbackController],
  providers: [
    LogsService,
    FeedbackService,
    LogTail,
    {
      provide: CustomLogsService,
      inject: [DataSource, SETTINGS],
      useFactory: (source: DataSource, settings: AdminSettings) => new CustomLogsService(source, settings),
    },
    {
      provide: LOG_STORES,
      inject: [SETTINGS, DataSource],
      useFactory: (settings: AdminSettings, source: DataSource) =>
        openLogStores(settings, (sql, parameters) => source.query(sql, parameters)),
    },
    {
      provide: LogBodiesReader,
      inject: [LOG_STORES],
      useFactory: ({ bodies }: LogStores) => new LogBodiesReader(bodies),
    },
    {
      provide: LogSearch,
      inject: [DataSource, LOG_STORES],
      useFactory: (source: DataSource, { bodies }: LogStores) => new LogSearch(source, bodies === null),
    },
  ],
  exports: [LogsService, LOG_STORES],
})
export class LogsModule {}
