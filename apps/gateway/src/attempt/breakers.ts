import type { BreakerStore } from '@gw/contracts';
import { connectRedis, RedisBreakers, RedisBus } from '@gw/redis';
import { LocalBreakerStore } from '@gw/routing';
import type { Log } from '@gw/web';

export interface Breakers {
  readonly store: BreakerStore;
  close(): void;
}

/**
 * Creates the breakers, shared with other gateways when there is a Redis. Requests never wait for
 * Redis.
 */
export function createBreakers(redisUrl: string | null, log: Log): Breakers {
  if (redisUrl === null) return { store: new LocalBreakerStore(Date.now), close: () => undefined };
  const connect = (name: string) =>
    connectRedis({
      url: redisUrl,
      name,
      log,
    });
  const commands = connect('gateway-breakers');
  const subscriptions = connect('gateway-breakers-events');
  return {
    store: new RedisBreakers(commands, new RedisBus(commands, subscriptions)),
    close: () => {
      commands.disconnect();
      subscriptions.disconnect();
    },
  };
}
