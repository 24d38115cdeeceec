import { createAdapter, ErrorFilter, NestLog, type Log } from '@gw/web';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { BATCH_BYTES_MAX } from './ingest/log-ingest.controller';
import { requireServiceToken } from './service-auth';
import type { WorkerSettings } from './settings';
import { WorkerModule } from './worker.module';

/** The worker, connected and not yet listening. Rejects when the database can't be used. */
export async function createWorker(settings: WorkerSettings, log: Log): Promise<NestFastifyApplication> {
  const adapter = createAdapter({ bodyLimit: BATCH_BYTES_MAX, log });
  requireServiceToken(adapter, settings.SERVICE_TOKEN);
  const app = await NestFactory.create<NestFastifyApplication>(WorkerModule.with(settings, log), adapter, {
    logger: new NestLog(log),
    abortOnError: false,
  });
  app.useBodyParser('application/octet-stream', { bodyLimit: BATCH_BYTES_MAX });
  app.useGlobalFilters(new ErrorFilter(log));
  app.enableShutdownHooks();
  return app;
}
