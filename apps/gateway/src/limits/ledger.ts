import { Ledger, MemoryCounterStore, RedisCounterStore, type LedgerStore } from '@gw/limits';
import { connectRedis } from '@gw/redis';
import type { Log } from '@gw/web';
import type { GatewaySettings } from '../settings';

export interface RunningLedger {
  readonly ledger: Ledger;
  /** Tells the counters what was used, if they can be reached. */
  close(): void;
}

/** An exchange is one round trip; a Redis that needs longer is taken for away. */
const REDIS_TIMEOUT_MS = 500;
const RESERVATION_MIN_MS = 900_000;

/** Counters in Redis where there is one, else in this process. `record` null: lost ones start at nothing. */
export function createLedger(settings: GatewaySettings, record: LedgerStore | null, log: Log): RunningLedger {
  const { REDIS_URL: url, REQUEST_TIMEOUT } = settings;
  const redis =
    url === null
      ? null
      : connectRedis({
          url,
          name: 'gateway-limits',
          commandTimeoutMs: REDIS_TIMEOUT_MS,
          log: (level, message) => {
            log[level](message);
          },
        });
  const ledger = new Ledger({
    counters: redis === null ? new MemoryCounterStore() : new RedisCounterStore(redis),
    record,
    settings: { reservationMaxMs: Math.max(RESERVATION_MIN_MS, 2 * REQUEST_TIMEOUT) },
    onAbandoned: ({ buckets }) => {
      log.warn({ limits: buckets.length }, 'a reservation was never settled');
    },
  });
  ledger.start();
  return {
    ledger,
    close: () => {
      ledger
        .stop()
        .catch(() => {
          log.warn({}, 'what was used last could not be told to the counters; their record is the log');
        })
        .finally(() => redis?.disconnect());
    },
  };
}
