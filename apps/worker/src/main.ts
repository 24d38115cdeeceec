import 'reflect-metadata';
import { SettingsError } from '@gw/kernel';
import { boundShutdown, createLog, describeFault } from '@gw/web';
import { createWorker } from './app';
import { readWorkerSettings } from './settings';

/** Below what orchestrators wait before they kill. */
const SHUTDOWN_MS = 20_000;

async function main(): Promise<void> {
  const settings = readWorkerSettings(process.env);
  const log = createLog('worker', settings.LOG_LEVEL);
  process.on('unhandledRejection', (error) => {
    log.error(describeFault(error), 'a promise was rejected and nobody heard');
  });
  boundShutdown(log, SHUTDOWN_MS);
  const app = await createWorker(settings, log);
  await app.listen(settings.WORKER_PORT, settings.HOST);
  log.info({ host: settings.HOST, port: settings.WORKER_PORT }, 'worker is ready');
}

main().catch((error: unknown) => {
  const lines =
    error instanceof SettingsError ? error.message : `The worker could not start: ${String(error)}`;
  process.stderr.write(`${lines}\n`);
  process.exit(1);
});
