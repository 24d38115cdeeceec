import type { ConnectionOptions } from 'node:tls';
import { Redis } from 'ioredis';

export interface RedisConnectionOptions {
  /** `redis://…` or `rediss://…`, with user, password and database. */
  readonly url: string;
  /** Connection name in Redis' `CLIENT LIST`: letters, digits and dashes. */
  readonly name: string;
  /** Replaces the TLS defaults of `rediss:`, for example to set a certificate authority. */
  readonly tls?: ConnectionOptions;
  /** Maximum wait for a reply, 1 s by default. Null for a connection whose commands block. */
  readonly commandTimeoutMs?: number | null;
  /**
   * Called once when the connection is lost and once when it is restored. The message contains
   * neither secrets nor data.
   */
  readonly log?: { info(message: string): void; warn(message: string): void };
}

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_MAX_MS = 2_000;

/**
 * Opens a connection that reconnects forever. While it is closed, new commands fail immediately;
 * when it closes, pending commands fail. So no queue grows, and every caller uses its fallback.
 */
export function connectRedis(options: RedisConnectionOptions): Redis {
  const { url, name, tls, commandTimeoutMs = 1_000 } = options;
  const redis = new Redis(url, {
    connectionName: name,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: 10_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // Subscribers subscribe again on `ready`.
    autoResubscribe: false,
    // After a failover the connection may still point to the old primary, which is now a replica.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    retryStrategy: (times) =>
      Math.min(50 * 2 ** Math.min(times, 10), RECONNECT_MAX_MS) * (0.5 + Math.random() / 2),
    ...(commandTimeoutMs === null ? {} : { commandTimeout: commandTimeoutMs }),
    ...(tls ? { tls } : {}),
  });
  report(redis, options);
  return redis;
}

/** Resolves when commands can be sent. Rejects after `timeoutMs`. */
export function redisReady(redis: Redis, timeoutMs: number): Promise<void> {
  if (redis.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    const onReady = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      redis.off('ready', onReady);
      reject(new Error('redis cannot be reached'));
    }, timeoutMs);
    redis.once('ready', onReady);
  });
}

/**
 * Returns whether Redis accepts a write. `PING` does not show this, because a Redis that is out of
 * memory still replies to it. Never rejects.
 */
export async function acceptsWrites(redis: Redis): Promise<boolean> {
  if (redis.status !== 'ready') return false;
  return redis.set('gw:health', '1', 'PX', 60_000).then(
    () => true,
    () => false,
  );
}

function report(redis: Redis, { name, log }: RedisConnectionOptions): void {
  let down = false;
  redis.on('ready', () => {
    if (down) log?.info(`redis (${name}) connection restored`);
    down = false;
  });
  // Without a listener, a connection error would end the process. Log only the message, because the
  // error of a refused command contains its arguments.
  redis.on('error', (error: Error) => {
    if (!down) log?.warn(`redis (${name}) connection failed: ${error.message}`);
    down = true;
  });
}
