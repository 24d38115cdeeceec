import type { ConnectionOptions } from 'node:tls';
import { Redis } from 'ioredis';

export interface RedisConnectionOptions {
  /** `redis://…` or `rediss://…`, with user, password and database. */
  readonly url: string;
  /** Shown in Redis' `CLIENT LIST`: letters, digits and dashes. */
  readonly name: string;
  /** Replaces what `rediss:` implies, such as an own certificate authority. */
  readonly tls?: ConnectionOptions;
  /** The longest wait for a reply; 1 s when absent. Null for a connection whose commands block. */
  readonly commandTimeoutMs?: number | null;
  /** Called once when the connection is lost and once when it is back. The text holds neither secrets nor data. */
  readonly log?: (level: 'info' | 'warn', message: string) => void;
}

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_MAX_MS = 2_000;

/**
 * A connection that opens itself again for ever. Nothing waits for it: a command fails at once while it is closed, and when
 * it closes, so that no queue grows and every user falls back on what works without Redis.
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
    // A fail-over leaves us connected to what is now a replica.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    retryStrategy: (times) =>
      Math.min(50 * 2 ** Math.min(times, 10), RECONNECT_MAX_MS) * (0.5 + Math.random() / 2),
    ...(commandTimeoutMs === null ? {} : { commandTimeout: commandTimeoutMs }),
    ...(tls ? { tls } : {}),
  });
  report(redis, options);
  return redis;
}

/** Resolves when commands can be sent; rejects when that takes longer than `timeoutMs`. */
export function redisReady(redis: Redis, timeoutMs: number): Promise<void> {
  if (redis.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    const onReady = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      redis.off('ready', onReady);
      reject(new Error('Redis cannot be reached.'));
    }, timeoutMs);
    redis.once('ready', onReady);
  });
}

/** Whether Redis takes a write: a full one still answers `PING`. Never rejects; takes as long as a command may. */
export async function redisAnswers(redis: Redis): Promise<boolean> {
  if (redis.status !== 'ready') return false;
  return redis.set('gw:health', '1', 'PX', 60_000).then(
    () => true,
    () => false,
  );
}

function report(redis: Redis, { name, log }: RedisConnectionOptions): void {
  let down = false;
  redis.on('ready', () => {
    if (down) log?.('info', `Redis (${name}) is back.`);
    down = false;
  });
  // Without a listener a connection error would end the process. Only the message is reported: the error object of a refused
  // command carries its arguments.
  redis.on('error', (error: Error) => {
    if (!down) log?.('warn', `Redis (${name}) cannot be used: ${error.message}`);
    down = true;
  });
}
