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
  /**
   * Reports the remaining usage to the counters if they can be reached, and closes the connection.
   */
  close(): void;
}

/** Time limit of a round trip to the counter store; a slower Redis counts as unreachable. */
const REDIS_TIMEOUT_MS = 500;
const RESERVATION_MIN_MS = 900_000;

/**
 * Creates the ledger, with counters in Redis if it is configured, else in this process. `balances`
 * null: lost counters restart at zero. `names` null: earlier processes are unknown.
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
          log,
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
          log.warn({}, 'failed to report the last usage to the counters; it is in the log');
        })
        .finally(() => redis?.disconnect());
    },
  };
}

/**
 * Derived from a secret that all gateways of an installation share at any time, even while master
 * keys rotate.
 */
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
      // The next process then does not know the name of this one, whose leases end when its
      // heartbeat has been missing for 10 s.
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

/**
 * Returns scripts that wait for the first connection after the start; later they fail at once
 * without a connection.
 */
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
