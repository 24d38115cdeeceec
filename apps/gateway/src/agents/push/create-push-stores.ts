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
 * With Redis, every gateway that shares it takes the notifications of an agent, and continues polls of another one; without,
 * the one that registered them.
 */
export function createPushStores(redisUrl: string | null, log: Log): PushStores {
  if (redisUrl === null) return { store: new LocalPushStore(), leases: LOCAL_POLL_LEASES };
  const redis = connectRedis({ url: redisUrl, name: 'gateway-agent-push', log });
  return { store: new SharedPushStore(redis), leases: new SharedPollLeases(redis) };
}
