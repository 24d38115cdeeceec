import {
  countRequests,
  createAdapter,
  ErrorFilter,
  NestLog,
  processMetrics,
  startMetricsServer,
  type Log,
} from '@gw/web';
import { openInstallation } from '@gw/entities';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { BATCH_BYTES_MAX } from './ingest/log-ingest.controller';
import { LogIngest } from './ingest/log-ingest';
import { JobRunner } from './jobs/job-runner';
import { requireServiceToken } from './service-auth';
import { keyringOf, type WorkerSettings } from './settings';
import { registerWorkerMetrics } from './worker-metrics';
import { WorkerModule } from './worker.module';

/** Creates the worker, connected and not yet listening. Rejects when the database is unusable. */
export async function createWorker(settings: WorkerSettings, log: Log): Promise<NestFastifyApplication> {
  const adapter = createAdapter({ body: { bytes: BATCH_BYTES_MAX }, log });
  requireServiceToken(adapter, settings.SERVICE_TOKEN);
  const registry = settings.METRICS_PORT === null ? null : processMetrics();
  if (registry) countRequests(adapter, registry);
  const app = await NestFactory.create<NestFastifyApplication>(WorkerModule.with(settings, log), adapter, {
    logger: new NestLog(log),
    abortOnError: false,
  });
  app.useBodyParser('application/octet-stream', { bodyLimit: BATCH_BYTES_MAX });
  app.useGlobalFilters(new ErrorFilter(log));
  const keyring = keyringOf(settings);
  if (keyring) await openInstallation(app.get(DataSource).manager, keyring);
  const { METRICS_PORT: port, HOST: host } = settings;
  if (registry && port !== null) {
    registerWorkerMetrics(registry, app.get(LogIngest), app.get(JobRunner));
    await startMetricsServer({ host, port }, () => registry.metrics());
  }
  return app;
}
