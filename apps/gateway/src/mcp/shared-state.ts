import type { Keyring } from '@gw/kernel';
import { connectRedis, RedisBus, type Redis } from '@gw/redis';
import type { Log } from '@gw/web';
import type { EventStore } from './events/event-store';
import { MemoryEventStore } from './events/memory-event-store';
import { RedisEventStore } from './events/redis-event-store';
import { LocalBus } from './replicas/replica-bus';
import { ReplicaLink } from './replicas/replica-link';
import { MemorySessionStore } from './sessions/memory-session-store';
import { RedisSessionStore } from './sessions/redis-session-store';
import { MemoryTaskStore, RedisTaskStore, type TaskStore } from './tasks/task-store';
import type { SessionStore } from './sessions/session-store';

/** The MCP stores and the message link that the gateways of an installation share. */
export interface SharedState {
  readonly link: ReplicaLink;
  readonly events: EventStore;
  readonly sessions: SessionStore;
  readonly tasks: TaskStore;
  /** Null when this is the only gateway. */
  readonly redis: Redis | null;
  close(): void;
}

/** Creates the shared state in Redis, or within this process when `redisUrl` is null. */
export function createSharedState(redisUrl: string | null, ring: Keyring, log: Log): SharedState {
  if (redisUrl === null) return ofProcess(ring);
  const connect = (name: string): Redis => connectRedis({ url: redisUrl, name, log });
  const redis = connect('gateway-mcp');
  const subscriptions = connect('gateway-mcp-events');
  const bus = new RedisBus(redis, subscriptions);
  const link = new ReplicaLink(bus, ring);
  return {
    ...{ link, redis },
    events: new RedisEventStore(redis, bus, ring),
    sessions: new RedisSessionStore(redis, ring),
    tasks: new RedisTaskStore(redis),
    close: () => {
      link.close();
      redis.disconnect();
      subscriptions.disconnect();
    },
  };
}

function ofProcess(ring: Keyring): SharedState {
  const link = new ReplicaLink(new LocalBus(), ring);
  return {
    ...{ link, redis: null },
    events: new MemoryEventStore(),
    sessions: new MemorySessionStore(),
    tasks: new MemoryTaskStore(),
    close: () => link.close(),
  };
}
