import { connectRedis } from '@gw/redis';
import type { Log } from '@gw/web';
import { LocalPushStore } from './local-push-store';
import type { PushStore } from './push-store';
import { SharedPushStore } from './shared-push-store';

/** With Redis, every gateway that shares it takes the notifications of an agent; without, the one that registered them. */
export const createPushStore = (redisUrl: string | null, log: Log): PushStore =>
  redisUrl === null
    ? new LocalPushStore()
    : new SharedPushStore(connectRedis({ url: redisUrl, name: 'gateway-agent-push', log }));
