import '@gw/stack-traces';
import 'reflect-metadata';
import { SettingsError } from '@gw/kernel';
import { createLog, describeFault, stopOnSignals } from '@gw/web';
import { createWorker } from './app';
import { readWorkerSettings } from './settings';

async function main(): Promise<void> {
  const settings = readWorkerSettings(process.env);
  const log = createLog('worker', settings.LOG_LEVEL);
  process.on('unhandledRejection', (error) => {
    log.error(describeFault(error), 'unhandled promise rejection');
  });
  const app = await createWorker(settings, log);
  stopOnSignals(app, { settings, log });
  await app.listen(settings.WORKER_PORT, settings.HOST);
  log.info({ host: settings.HOST, port: settings.WORKER_PORT }, 'worker is ready');
}

main().catch((error: unknown) => {
  const lines =
    error instanceof SettingsError ? error.message : `The worker could not start: ${String(error)}`;
  process.stderr.write(`${lines}\n`);
  process.exit(1);
});
