import { connectRedis } from '@gw/redis';
import type { Log } from '@gw/web';
import { LocalPushStore } from './local-push-store';
import { LOCAL_POLL_LEASES, type PollLeases } from './poll-leases';
import type { PushStore } from './push-store';
import { SharedPollLeases } from './shared-poll-leases';
import { SharedPushStore } from './shared-push-store';

export interface PushStores {
  readonly store: PushStore;
  readonly leases: PollLeases;
}

/**
 * Creates the stores of push notifications. With Redis, every gateway that shares it receives the
 * notifications of agents and continues the polls of gateways that have ended. Without Redis, only
 * the gateway that registered them does.
 */
export function createPushStores(redisUrl: string | null, log: Log): PushStores {
  if (redisUrl === null) return { store: new LocalPushStore(), leases: LOCAL_POLL_LEASES };
  const redis = connectRedis({ url: redisUrl, name: 'gateway-agent-push', log });
  return { store: new SharedPushStore(redis), leases: new SharedPollLeases(redis) };
}
