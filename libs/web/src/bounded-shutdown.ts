import type { Log } from './logger';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Ends a process that was asked to stop and has not done so after `withinMs`: a connection or a job that never ends must not
 * keep it. For processes that lose nothing by it, since what they do is done in transactions or done again.
 */
export function boundShutdown(
  log: Log,
  withinMs: number,
  exit: (code: number) => void = (code) => process.exit(code),
): void {
  const begin = (): void => {
    for (const signal of SIGNALS) process.off(signal, begin);
    setTimeout(() => {
      log.warn({ withinMs }, 'the process did not end in time and is ended now');
      exit(0);
    }, withinMs).unref();
  };
  for (const signal of SIGNALS) process.on(signal, begin);
}
