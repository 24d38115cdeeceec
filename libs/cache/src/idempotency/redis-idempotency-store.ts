import type { Redis } from '@gw/redis';
import type { EntrySealer } from '../stores/entry-sealer';
import { NO_REPLY, type RedisGuard } from '../stores/redis-guard';
import { ENTRY_OVERHEAD_BYTES, ledgerArguments, withLedger, type RedisShare } from '../stores/redis-shares';
import {
  keysFull,
  type IdempotencyClaim,
  type IdempotencyState,
  type IdempotencyStore,
} from './idempotency-store';

export interface RedisIdempotencyStoreOptions {
  /** Prefix of every key: `gw:idempotency:`. */
  readonly prefix: string;
  /** Share of Redis for the responses of all workspaces. */
  readonly share: RedisShare;
}

/** The reply when the workspace has no room for another key. */
const FULL = 2;
/**
 * A value starts with a letter and the fingerprint, followed by the token of the claim or the
 * encrypted response.
 */
const RUNNING = 'R';
const DONE = 'D';
const FINGERPRINT_LENGTH = 43;
const REST_AT = 1 + FINGERPRINT_LENGTH;
/** Poll interval of a waiting gateway, because gateways do not notify each other of a response. */
const POLL_MS = 100;

/** Shrinks a value to make room: it keeps its letter and its fingerprint. */
const SHRINK = `
local function shrink(key)
  local kept = redis.call('GETRANGE', key, 0, ${String(REST_AT - 1)})
  if kept == '' then return false end
  redis.call('SET', key, kept, 'KEEPTTL')
  return #kept + overhead
end`;

const CLAIM = withLedger(`
local held = redis.call('GET', entry)
if held then return held end
if not fitsInPlace(#ARGV[4] + tonumber(ARGV[6])) then return ${String(FULL)} end
redis.call('SET', entry, ARGV[4], 'PX', ARGV[5])
return false`);

const RENEW = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`;

/** A claim whose lease ran out still counts until another process claims the scope. */
const COMPLETE = withLedger(`
local held = redis.call('GET', entry)
if held and held ~= ARGV[4] then return 0 end
local value, ttl, overhead = ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
${SHRINK}
local fitted = makeRoom(#value + overhead, shrink)
if not fitted then
  value = string.sub(value, 1, ${String(REST_AT)})
  fitted = makeRoom(#value + overhead, shrink)
end
redis.call('SET', entry, value, 'PX', ttl)
if fitted then charge(#value + overhead, ttl) end
return 1`);

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/** First responses in Redis, shared by all gateways, encrypted and bound to their scope. */
export class RedisIdempotencyStore implements IdempotencyStore {
  constructor(
    private readonly redis: Redis,
    private readonly guard: RedisGuard,
    private readonly sealer: EntrySealer,
    private readonly options: RedisIdempotencyStoreOptions,
  ) {}

  async claim(claim: IdempotencyClaim, leaseMs: number): Promise<IdempotencyState> {
    const claimed = [runningText(claim), leaseMs, ENTRY_OVERHEAD_BYTES];
    const held = await this.runShared(CLAIM, claim, claimed);
    if (held === FULL) throw keysFull();
    if (!Buffer.isBuffer(held)) return { kind: 'claimed' };
    const fingerprint = held.toString('latin1', 1, REST_AT);
    if (held.toString('latin1', 0, 1) === RUNNING) return { kind: 'running', fingerprint };
    const sealed = held.subarray(REST_AT);
    // A response that cannot be decrypted is lost like one that was too large: the request is not
    // carried out again.
    const response = sealed.length === 0 ? null : this.sealer.open(sealed, this.at(claim.scope));
    return { kind: 'done', fingerprint, response };
  }

  async renew(claim: IdempotencyClaim, leaseMs: number): Promise<void> {
    await this.run(RENEW, claim.scope, [runningText(claim), leaseMs]);
  }

  async complete(claim: IdempotencyClaim, response: Buffer | null, ttlMs: number): Promise<void> {
    const sealed = response === null ? NOTHING : this.sealer.seal(response, this.at(claim.scope));
    const value = Buffer.concat([Buffer.from(DONE + claim.fingerprint, 'latin1'), sealed]);
    await this.runShared(COMPLETE, claim, [runningText(claim), value, ttlMs, ENTRY_OVERHEAD_BYTES]);
  }

  async release(claim: IdempotencyClaim): Promise<void> {
    await this.run(RELEASE, claim.scope, [runningText(claim)]);
  }

  changed(_scope: string, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, Math.min(timeoutMs, POLL_MS));
    });
  }

  private at(scope: string): string {
    return this.options.prefix + scope;
  }

  private runShared(
    script: string,
    { scope, tenant }: IdempotencyClaim,
    args: readonly (string | number | Buffer)[],
  ): Promise<unknown> {
    const { share } = this.options;
    return this.send(script, [this.at(scope), share.ledger], [...ledgerArguments(tenant, share), ...args]);
  }

  private run(script: string, scope: string, args: readonly (string | number)[]): Promise<unknown> {
    return this.send(script, [this.at(scope)], args);
  }

  private async send(
    script: string,
    keys: readonly string[],
    args: readonly (string | number | Buffer)[],
  ): Promise<unknown> {
    const reply = await this.guard.run(() =>
      this.redis.callBuffer('EVAL', script, keys.length, ...keys, ...args),
    );
    if (reply === NO_REPLY) throw new Error('Redis did not reply in time');
    return reply;
  }
}

const NOTHING = Buffer.alloc(0);
const runningText = ({ fingerprint, token }: IdempotencyClaim): string => RUNNING + fingerprint + token;
