import {
  Ledger,
  MemoryCounterStore,
  Reconciler,
  RedisCounterStore,
  type LedgerStore,
  type RedisScripts,
} from '@gw/limits';
import { connectRedis, redisReady, type Redis } from '@gw/redis';
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
  const { REDIS_URL: url, REQUEST_TIMEOUT, LIMITS_LEASE: leaseMs } = settings;
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
  const counters = redis === null ? new MemoryCounterStore() : new RedisCounterStore(firstReady(redis));
  const ledger = new Ledger({
    counters,
    record,
    settings: { leaseMs, reservationMaxMs: Math.max(RESERVATION_MIN_MS, 2 * REQUEST_TIMEOUT) },
    onAbandoned: ({ buckets }) => {
      log.warn({ limits: buckets.length }, 'a reservation was never settled');
    },
  });
  ledger.start();
  const reconciler = record === null ? null : new Reconciler(ledger, { counters, record });
  reconciler?.start();
  return {
    ledger,
    close: () => {
      reconciler?.stop();
      ledger
        .stop()
        .catch(() => {
          log.warn({}, 'what was used last could not be told to the counters; their record is the log');
        })
        .finally(() => redis?.disconnect());
    },
  };
}

/** Commands wait for the first connection of a process that has just begun; later on they fail at once where there is none. */
function firstReady(redis: Redis): RedisScripts {
  let first: Promise<void> | null = redisReady(redis, REDIS_TIMEOUT_MS).finally(() => {
    first = null;
  });
  first.catch(() => undefined);
  return {
    evalsha: (...command) =>
      first === null ? redis.evalsha(...command) : first.then(() => redis.evalsha(...command)),
    eval: (...command) =>
      first === null ? redis.eval(...command) : first.then(() => redis.eval(...command)),
  };
}
