import { Module } from '@nestjs/common';
import type { LogStores } from '@gw/object-store';
import { DataSource } from 'typeorm';
import { LOG_STORES, LogsModule } from '../logs/logs.module';
import { Secrets, SETTINGS, type AdminSettings } from '../../platform/settings';
import { LogExportFiles } from './log-export-files';
import { LogExportsController } from './log-exports.controller';
import { LogExportsService } from './log-exports.service';

@Module({
  imports: [LogsModule],
  controllers: [LogExportsController],
  providers: [
    LogExportsService,
    {
      provide: LogExportFiles,
      inject: [DataSource, LOG_STORES, Secrets, SETTINGS],
      useFactory: (source: DataSource, { exports }: LogStores, secrets: Secrets, settings: AdminSettings) =>
        new LogExportFiles(source, exports, secrets.exportLinkKey, settings),
    },
  ],
})
export class LogExportsModule {}
