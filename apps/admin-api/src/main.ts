import '@gw/stack-traces';
import 'reflect-metadata';
import { SettingsError } from '@gw/kernel';
import { createLog, describeFault, stopOnSignals } from '@gw/web';
import { createAdminApi } from './app';
import { readAdminSettings } from './settings';
import { setUp } from './setup';

async function main(): Promise<void> {
  const settings = readAdminSettings(process.env);
  const log = createLog('admin-api', settings.LOG_LEVEL);
  process.on('unhandledRejection', (error) => {
    log.error(describeFault(error), 'unhandled promise rejection');
  });
  if (settings.SETUP_ON_START) await setUp(process.env);
  const { app } = await createAdminApi(settings, log);
  stopOnSignals(app, { settings, log });
  await app.listen(settings.ADMIN_PORT, settings.HOST);
  log.info({ host: settings.HOST, port: settings.ADMIN_PORT }, 'admin API is ready');
}

main().catch((error: unknown) => {
  const lines =
    error instanceof SettingsError ? error.message : `The admin API could not start: ${String(error)}`;
  process.stderr.write(`${lines}\n`);
  process.exit(1);
});
