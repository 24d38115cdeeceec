import type { Redis } from '@gw/redis';
import type { EntrySealer } from '../stores/entry-sealer';
import { NO_REPLY, type RedisGuard } from '../stores/redis-guard';
import type { Claim, IdempotencyState, IdempotencyStore } from './idempotency-store';

export interface RedisIdempotencyStoreOptions {
  /** Starts every key: `gw:idempotency:`. */
  readonly prefix: string;
}

/** What lies under a key: a letter, the fingerprint, then the token of who is at it or the sealed answer. */
const RUNNING = 'R';
const DONE = 'D';
const FINGERPRINT_LENGTH = 43;
const REST_AT = 1 + FINGERPRINT_LENGTH;
/** Gateways do not tell each other that an answer is there, so a waiting one asks again. */
const ASK_AGAIN_MS = 100;

const CLAIM = `
local held = redis.call('GET', KEYS[1])
if held then return held end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false`;

const RENEW = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`;

/** A claim whose lease ran out, with nobody after it, still counts. */
const COMPLETE = `
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/** First answers in Redis, shared by all gateways, sealed to their scope. */
export class RedisIdempotencyStore implements IdempotencyStore {
  constructor(
    private readonly redis: Redis,
    private readonly guard: RedisGuard,
    private readonly sealer: EntrySealer,
    private readonly options: RedisIdempotencyStoreOptions,
  ) {}

  async claim(claim: Claim, leaseMs: number): Promise<IdempotencyState> {
    const held = await this.run(CLAIM, claim.scope, [runningText(claim), leaseMs]);
    if (!Buffer.isBuffer(held)) return { kind: 'claimed' };
    const fingerprint = held.toString('latin1', 1, REST_AT);
    if (held.toString('latin1', 0, 1) === RUNNING) return { kind: 'running', fingerprint };
    const sealed = held.subarray(REST_AT);
    // An answer that does not open is as lost as one that was too large: the request was carried out, and is not again.
    const answer = sealed.length === 0 ? null : this.sealer.open(sealed, this.at(claim.scope));
    return { kind: 'done', fingerprint, answer };
  }

  async renew(claim: Claim, leaseMs: number): Promise<void> {
    await this.run(RENEW, claim.scope, [runningText(claim), leaseMs]);
  }

  async complete(claim: Claim, answer: Buffer | null, ttlMs: number): Promise<void> {
    const sealed = answer === null ? NOTHING : this.sealer.seal(answer, this.at(claim.scope));
    const value = Buffer.concat([Buffer.from(DONE + claim.fingerprint, 'latin1'), sealed]);
    await this.run(COMPLETE, claim.scope, [runningText(claim), value, ttlMs]);
  }

  async release(claim: Claim): Promise<void> {
    await this.run(RELEASE, claim.scope, [runningText(claim)]);
  }

  changed(_scope: string, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, Math.min(timeoutMs, ASK_AGAIN_MS));
    });
  }

  private at(scope: string): string {
    return this.options.prefix + scope;
  }

  private async run(
    script: string,
    scope: string,
    args: readonly (string | number | Buffer)[],
  ): Promise<unknown> {
    const reply = await this.guard.ask(() =>
      this.redis.callBuffer('EVAL', script, 1, this.at(scope), ...args),
    );
    if (reply === NO_REPLY) throw new Error('Redis did not reply in time.');
    return reply;
  }
}

const NOTHING = Buffer.alloc(0);
const runningText = ({ fingerprint, token }: Claim): string => RUNNING + fingerprint + token;
