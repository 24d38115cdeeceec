import { GatewayError } from '@gw/kernel';
import { connectRedis, type Redis } from '@gw/redis';
import type { Log } from '@gw/web';
import { hash } from 'node:crypto';

/** Maximum number of one-time tokens that a process without Redis remembers, about 20 MB. */
const LOCAL_MAX = 100_000;

/** A token that is accepted once. */
export interface OneTimeToken {
  readonly trustId: string;
  readonly jti: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** Remembers used one-time tokens until they expire. */
export interface UsedTokens {
  /**
   * Marks a token as used. Resolves to false when it was used before. Rejects with `unavailable`
   * when that cannot be determined; the token is then refused.
   */
  take(token: OneTimeToken): Promise<boolean>;
  close(): void;
}

/**
 * Creates the store of used tokens. With Redis a token is accepted once by all gateways that share
 * it; without Redis, once by each process.
 */
export function createUsedTokens(redisUrl: string | null, log: Log): UsedTokens {
  if (redisUrl === null) return new LocalUsedTokens();
  const redis = connectRedis({
    url: redisUrl,
    name: 'gateway-used-tokens',
    log,
  });
  return new SharedUsedTokens(redis);
}

const nameOf = ({ trustId, jti }: OneTimeToken): string => hash('sha256', `${trustId}\n${jti}`, 'base64url');

/**
 * Returns the seconds for which a token is remembered: a minute longer than it is valid, because
 * clocks differ.
 */
const secondsOf = ({ expiresAt }: OneTimeToken, nowMs: number): number =>
  Math.max(Math.ceil(expiresAt - nowMs / 1_000), 0) + 60;

const useUnknown = (cause?: unknown): GatewayError =>
  new GatewayError('unavailable', {
    message: 'Whether the one-time token was used before cannot be checked right now; try again.',
    headers: { 'retry-after': '5' },
    ...(cause === undefined ? {} : { cause }),
  });

export class SharedUsedTokens implements UsedTokens {
  constructor(private readonly redis: Redis) {}

  async take(token: OneTimeToken): Promise<boolean> {
    const key = `gw:used-token:${nameOf(token)}`;
    try {
      return (await this.redis.set(key, '1', 'EX', secondsOf(token, Date.now()), 'NX')) === 'OK';
    } catch (error) {
      throw useUnknown(error);
    }
  }

  close(): void {
    this.redis.disconnect();
  }
}

/**
 * Remembers used tokens in this process. When it holds the maximum of tokens that are still valid,
 * further ones are refused with `unavailable`.
 */
export class LocalUsedTokens implements UsedTokens {
  /** Expiry of each used token by name, in Unix milliseconds. */
  private readonly expiries = new Map<string, number>();

  constructor(
    private readonly max = LOCAL_MAX,
    private readonly now: () => number = Date.now,
  ) {}

  take(token: OneTimeToken): Promise<boolean> {
    const [name, now] = [nameOf(token), this.now()];
    if ((this.expiries.get(name) ?? 0) > now) return Promise.resolve(false);
    if (this.expiries.size >= this.max) this.removeExpired(now);
    if (this.expiries.size >= this.max) return Promise.reject(useUnknown());
    this.expiries.set(name, now + secondsOf(token, now) * 1_000);
    return Promise.resolve(true);
  }

  close(): void {
    this.expiries.clear();
  }

  private removeExpired(now: number): void {
    for (const [name, end] of this.expiries) if (end <= now) this.expiries.delete(name);
  }
}
