import { deriveKey } from '@gw/kernel';
import {
  HolderRegistry,
  Ledger,
  MemoryCounterStore,
  Reconciler,
  RedisCounterStore,
  RedisHolderStore,
  type LedgerSettings,
  type LedgerStore,
  type RedisScripts,
} from '@gw/limits';
import { connectRedis, redisReady, type Redis } from '@gw/redis';
import { describeFault, type Log } from '@gw/web';
import type { GatewaySettings } from '../settings';
import { AdoptedBalances } from './adopted-balances';
import type { HolderNames } from './holder-names';

export interface RunningLedger {
  readonly ledger: Ledger;
  /** Tells the counters what was used, if they can be reached. */
  close(): void;
}

/** One round trip to the counter store; a Redis that needs longer is taken for away. */
const REDIS_TIMEOUT_MS = 500;
const RESERVATION_MIN_MS = 900_000;

/**
 * Counters in Redis where there is one, else in this process. `balances` null: lost ones start at nothing. `names` null: nothing is known of
 * earlier processes.
 */
export function createLedger(
  settings: GatewaySettings,
  balances: LedgerStore | null,
  names: HolderNames | null,
  log: Log,
): RunningLedger {
  const { REDIS_URL: url, LIMITS_LOST_AFTER: lostAfterMs } = settings;
  const record =
    balances === null || names === null ? balances : new AdoptedBalances(balances, () => names.hasArrived());
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
  const scripts = redis === null ? null : firstReady(redis);
  const counters =
    scripts === null ? new MemoryCounterStore() : new RedisCounterStore(scripts, nameKeyOf(settings));
  const ledger = new Ledger({
    counters,
    record,
    settings: ledgerSettings(settings),
    onAbandoned: ({ buckets }) => {
      log.warn({ limits: buckets.length }, 'reservation was not settled');
    },
  });
  ledger.start();
  const registry = scripts === null ? null : startedRegistry(ledger, scripts, names, log);
  const fates = registry === null ? {} : { fates: registry };
  const reconciler =
    record === null ? null : new Reconciler(ledger, { counters, record, lostAfterMs, ...fates });
  reconciler?.start();
  return {
    ledger,
    close: () => {
      registry?.stop();
      reconciler?.stop();
      ledger
        .stop()
        .catch(() => {
          log.warn({}, 'failed to report the last usage to the counters; the log has it');
        })
        .finally(() => redis?.disconnect());
    },
  };
}

/** Of what all gateways of an installation have at any time, also while master keys rotate. */
const nameKeyOf = ({ SERVICE_TOKEN }: GatewaySettings): Buffer =>
  deriveKey(Buffer.from(SERVICE_TOKEN), 'limit-counters');

const ledgerSettings = ({
  REQUEST_TIMEOUT,
  LIMITS_LEASE,
  LIMITS_OUTAGE_SHARE,
}: GatewaySettings): Partial<LedgerSettings> => ({
  leaseMs: LIMITS_LEASE,
  outageSharePercent: LIMITS_OUTAGE_SHARE,
  reservationMaxMs: Math.max(RESERVATION_MIN_MS, 2 * REQUEST_TIMEOUT),
});

function startedRegistry(
  ledger: Ledger,
  redis: RedisScripts,
  names: HolderNames | null,
  log: Log,
): HolderRegistry {
  const { process } = ledger;
  const note = (write: () => void): void => {
    try {
      write();
    } catch (error) {
      // The next process cannot name this one then: what it holds is free when its heartbeat has been missing for 10 s.
      log.warn(describeFault(error), 'failed to store holder names');
    }
  };
  const registry = new HolderRegistry(ledger, {
    store: new RedisHolderStore(redis),
    process,
    ...(names !== null && {
      predecessors: names.predecessors,
      isAdopted: () => names.isAdopted(),
      onEnded: () => {
        note(() => {
          names.forgetOthers(process);
        });
      },
    }),
  });
  if (names !== null) {
    note(() => {
      names.add(process);
    });
  }
  registry.start();
  return registry;
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
