import { join } from 'node:path';
import { INTERNAL } from '@gw/contracts';
import { httpLogSink, Journal, LogShipper, Sealer, sealedSink, type LogSink } from '@gw/journal';
import { journalKey, masterKeysOf } from '@gw/kernel';
import { connectRedis, RedisLogSink, type Redis } from '@gw/redis';
import { internalPost } from '@gw/outbound';
import { describeFault } from '@gw/web';
import type { Provider } from '@nestjs/common';
import type { GatewayProcess } from '../gateway-process';
import { ChargesAlone } from '../record/charges-alone';
import { recoverInFlight } from '../in-flight/recovery';
import type { GatewaySettings } from '../settings';
import { takeJournalHome, type JournalHome, type JournalHomeOptions } from './journal-home';
import { OrphanedJournals } from './orphaned-journals';

export const HOME = Symbol('folder of the journal, locked by this process');
export const LOG_REDIS = Symbol('Redis connection of the log stream, or null');

/**
 * Provides the parts that ship log records to a worker: records of this process, and records that
 * stopped processes left.
 */
export const journalProviders = (gateway: GatewayProcess): Provider[] => {
  const { settings } = gateway;
  return [
    { provide: HOME, useFactory: () => takenHome(gateway) },
    { provide: Journal, inject: [HOME], useFactory: ({ journal }: JournalHome) => journal },
    {
      provide: LOG_REDIS,
      useFactory: () =>
        settings.REDIS_URL === null ? null : connectRedis({ url: settings.REDIS_URL, name: 'gateway-log' }),
    },
    {
      provide: LogShipper,
      inject: [Journal, LOG_REDIS],
      useFactory: (journal: Journal, redis: Redis | null) => startedShipper(gateway, journal, redis),
    },
    {
      provide: ChargesAlone,
      inject: [LOG_REDIS],
      useFactory: (redis: Redis | null) =>
        new ChargesAlone(sinkFor(settings, redis), (error) => {
          gateway.log.warn(describeFault(error), 'failed to send charges of dropped log records; retrying');
        }),
    },
    {
      provide: OrphanedJournals,
      inject: [HOME, LOG_REDIS],
      useFactory: (home: JournalHome, redis: Redis | null) =>
        new OrphanedJournals({
          ...homeOptions(gateway),
          ownSlot: home.slot,
          sink: sinkFor(settings, redis),
          recover: (directory, journal) => recoverInFlight(directory, journal, sealerOf(settings)),
        }),
    },
  ];
};

export const sealerOf = (settings: GatewaySettings): Sealer =>
  new Sealer(masterKeysOf(settings).map(journalKey));

const homeOptions = ({ settings, log, index }: GatewayProcess): JournalHomeOptions => ({
  root: join(settings.DATA_DIR, 'gateway'),
  preferredSlot: index,
  log,
  journal: {
    sealer: sealerOf(settings),
    capBytes: settings.JOURNAL_MAX_BYTES,
    sync: settings.JOURNAL_SYNC === 'group',
    report: ({ message }) => {
      log.error(message);
    },
  },
});

function takenHome(gateway: GatewayProcess): JournalHome {
  const home = takeJournalHome(homeOptions(gateway));
  const lost = recoverInFlight(home.directory, home.journal, sealerOf(gateway.settings));
  if (lost > 0)
    gateway.log.warn({ requests: lost }, 'recovered requests that were in flight when the gateway stopped');
  return home;
}

function startedShipper(
  { settings, log }: GatewayProcess,
  journal: Journal,
  redis: Redis | null,
): LogShipper {
  const shipper = new LogShipper(journal, sinkFor(settings, redis), {
    report: ({ message }) => {
      log.warn(message);
    },
  });
  shipper.start();
  return shipper;
}

const sinkFor = (settings: GatewaySettings, redis: Redis | null): LogSink =>
  redis === null
    ? httpLogSink({
        url: new URL(INTERNAL.logs, settings.WORKER_URL).href,
        serviceToken: settings.SERVICE_TOKEN,
        post: internalPost,
      })
    : sealedSink(new RedisLogSink(redis), sealerOf(settings));
