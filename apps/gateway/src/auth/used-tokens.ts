import { GatewayError, Shares } from '@gw/kernel';
import { connectRedis, type Redis } from '@gw/redis';
import type { Log } from '@gw/web';
import { hash } from 'node:crypto';

/** Maximum number of one-time tokens that a process without Redis remembers, about 20 MB. */
const LOCAL_MAX = 100_000;

/** A token that is accepted once. */
export interface OneTimeToken {
  readonly organisationId: string;
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

interface UsedToken {
  readonly organisationId: string;
  /** Expiry in Unix milliseconds. */
  readonly end: number;
}

/** Minimum milliseconds between two searches for expired tokens. */
const SEARCH_AGAIN_MS = 1_000;

/**
 * Remembers used tokens in this process. Organisations share its places. When an organisation has
 * none left for tokens that are still valid, its further ones are refused with `unavailable`.
 */
export class LocalUsedTokens implements UsedTokens {
  private readonly used = new Map<string, UsedToken>();
  private readonly places: Shares;
  private searchedAt = -Infinity;

  constructor(
    max = LOCAL_MAX,
    private readonly now: () => number = Date.now,
  ) {
    this.places = new Shares(max);
  }

  take(token: OneTimeToken): Promise<boolean> {
    const { organisationId } = token;
    const [name, now] = [nameOf(token), this.now()];
    const known = this.used.get(name);
    if (known !== undefined && known.end > now) return Promise.resolve(false);
    if (known !== undefined) this.remove(name, known);
    if (!this.places.of(organisationId, organisationId).fits(1)) this.removeExpired(now);
    if (!this.places.of(organisationId, organisationId).take(1)) return Promise.reject(useUnknown());
    this.used.set(name, { organisationId, end: now + secondsOf(token, now) * 1_000 });
    return Promise.resolve(true);
  }

  close(): void {
    this.used.clear();
  }

  private removeExpired(now: number): void {
    if (Math.abs(now - this.searchedAt) < SEARCH_AGAIN_MS) return;
    this.searchedAt = now;
    for (const [name, token] of this.used) if (token.end <= now) this.remove(name, token);
  }

  private remove(name: string, { organisationId }: UsedToken): void {
    this.used.delete(name);
    this.places.of(organisationId, organisationId).give(1);
  }
}
