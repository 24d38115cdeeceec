import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describeFault, type Log } from '../logger';
import type { ServerDrain } from './server-drain';
import type { ShutdownSettings } from './shutdown-settings';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Milliseconds for the steps after the grace period: interrupted requests get their errors, records
 * and queues are written.
 */
const LAST_STEPS_MS = 8_000;
/** Milliseconds for clients to read the end of interrupted requests. */
const LAST_WORDS_MS = 1_000;

export interface StopParts {
  readonly settings: ShutdownSettings;
  readonly log: Log;
  /**
   * Interrupts requests in flight at the end of the grace period. Absent: their connections are
   * closed.
   */
  readonly interrupt?: () => Promise<void>;
}

/**
 * Shuts the process down on SIGTERM, SIGINT and SIGHUP. During `SHUTDOWN_LEAD` it reports that it
 * is not ready but keeps serving. Then it accepts no new connections, finishes requests until
 * `SHUTDOWN_GRACE` is over, and interrupts the rest.
 */
export function stopOnSignals(app: NestFastifyApplication, parts: StopParts): void {
  const { settings, log } = parts;
  let isStopping = false;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      log.info({ signal, leadMs: settings.SHUTDOWN_LEAD, graceMs: settings.SHUTDOWN_GRACE }, 'shutting down');
      // A connection or a job that never ends must not keep the process alive: its work is
      // transactional or repeatable.
      setTimeout(() => {
        log.warn('process did not stop in time; exiting');
        process.exit(0);
      }, settings.SHUTDOWN_GRACE + LAST_STEPS_MS).unref();
      drainAndClose(app, parts).then(
        () => process.exit(0),
        (error: unknown) => {
          log.error(describeFault(error), 'shutdown failed');
          process.exit(1);
        },
      );
    });
  }
}

/** @internal Shuts down without signals and without exiting the process. */
export async function drainAndClose(app: NestFastifyApplication, parts: StopParts): Promise<void> {
  const { settings, log } = parts;
  const server = app.getHttpServer();
  const { drain } = app.getHttpAdapter().getInstance();
  const { SHUTDOWN_LEAD: leadMs, SHUTDOWN_GRACE: graceMs } = settings;
  let timer: NodeJS.Timeout | null = null;
  drain.announce();
  if (server.listening) {
    await delay(Math.min(leadMs, graceMs));
    await drain.close();
    timer = setTimeout(
      () => {
        log.warn({ graceMs }, 'interrupting requests that did not end within the grace period');
        void cut(server, parts);
      },
      Math.max(0, graceMs - leadMs),
    );
  }
  await app.close();
  if (timer !== null) clearTimeout(timer);
}

/** Sends errors to interrupted requests, then closes every connection. */
async function cut(server: Server, { log, interrupt }: StopParts): Promise<void> {
  const ended = new Promise((resolve) => server.once('close', resolve));
  try {
    await interrupt?.();
    if (interrupt) await Promise.race([ended, delay(LAST_WORDS_MS, null, { ref: false })]);
  } catch (error) {
    log.error(describeFault(error), 'failed to interrupt in-flight requests');
  }
  server.closeAllConnections();
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly drain: ServerDrain;
  }
}
