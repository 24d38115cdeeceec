import '@gw/stack-traces';
import { SettingsError } from '@gw/kernel';

import { isExpected, Product } from './product';
import { readLauncherSettings } from './settings';

/**
 * One Ctrl-C arrives several times (from the terminal, npm and the start script); only a signal
 * after this time forces the end.
 */
const REPEATED_SIGNAL_MS = 1_000;

function fail(error: unknown): void {
  if (error instanceof SettingsError) {
    for (const { name, rule } of error.problems) console.error(`tollgate: ${name} ${rule}.`);
  } else console.error(isExpected(error) ? `tollgate: ${error.message}` : error);
}

async function main(): Promise<void> {
  // Everything below the data folder is readable only for this user.
  process.umask(0o077);
  let stopRequestedAt: number | undefined;
  const stop = async (exitCode: number): Promise<void> => {
    const now = Date.now();
    if (stopRequestedAt !== undefined) {
      // Children stop themselves when this process is gone; the next start stops Postgres.
      if (now - stopRequestedAt > REPEATED_SIGNAL_MS) process.exit(1);
      return;
    }
    stopRequestedAt = now;
    await product.stop();
    process.exit(exitCode);
  };
  const product = new Product(readLauncherSettings(process.env), process.env, console.log);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
  process.once('disconnect', () => void stop(0));
  process.on('SIGUSR2', () => {
    product.startStopped().catch(fail);
  });
  try {
    await product.start();
  } catch (error) {
    if (stopRequestedAt !== undefined) return;
    fail(error);
    await stop(1);
  }
}

main().catch((error: unknown) => {
  fail(error);
  process.exit(1);
});
