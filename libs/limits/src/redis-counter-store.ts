import {
  CROWDED_MS,
  EXTRA_DIVISOR,
  FORGET_HOLDER_MS,
  lifeOf,
  SKEW_MAX_MS,
  type CounterReply,
  type CounterReading,
  type CounterStatement,
  type CounterStore,
  type CounterRoundTrip,
  type CounterRoundTripReply,
  type HolderReading,
  type DurableBalance,
} from './counter-store';
import { ROUND_TRIP_SCRIPT, MAINTENANCE_SCRIPT } from './counter-script';
import { runScript, scriptOf, type RedisScripts } from './redis-scripts';
import { createHmac } from 'node:crypto';

const ROUND_TRIP = scriptOf(ROUND_TRIP_SCRIPT);
const MAINTENANCE = scriptOf(MAINTENANCE_SCRIPT);

const STATUSES = ['ok', 'unknown', 'clock', 'stale', 'lost'] as const;
const NUMBERS_PER_COUNTER = 8;

/**
 * Keeps counters in Redis, by Redis' clock.
 * All counters of a tenant share a hash tag, so that one script can change them on a cluster too.
 * Each counter is one small hash that expires: windows after two of their lengths, budgets after 7
 * days without use.
 */
export class RedisCounterStore implements CounterStore {
  /**
   * `nameKey` hashes the values of policies; it is the same in every process of the installation.
   */
  constructor(
    private readonly redis: RedisScripts,
    private readonly nameKey: Buffer,
  ) {}

  async exchange(roundTrip: CounterRoundTrip): Promise<CounterRoundTripReply> {
    const { tenant, statements, claims } = roundTrip;
    const keys = statements.map(({ key }) => this.redisKey(tenant, key));
    const numbers = numbersOf(await runScript(this.redis, ROUND_TRIP, keys, [argumentOf(roundTrip)]));
    if (numbers?.length !== 1 + NUMBERS_PER_COUNTER * statements.length + claims.length) {
      throw new Error('Redis returned an unreadable reply');
    }
    return {
      nowMs: numbers[0] ?? 0,
      counters: statements.map((_, index) => counterOf(numbers, 1 + NUMBERS_PER_COUNTER * index)),
      claims: numbers.slice(1 + NUMBERS_PER_COUNTER * statements.length),
    };
  }

  read(tenant: string, key: string): Promise<CounterReading | null> {
    return this.maintain(tenant, key, ['read']);
  }

  async correct(tenant: string, key: string, truth: DurableBalance): Promise<void> {
    const { period, used, adjusted = 0, holders, former = [], ended = [] } = truth;
    const parts = [...holders, ...former].flat();
    const counts = [ended.length, holders.length];
    await this.maintain(tenant, key, ['correct', period, used, adjusted, ...counts, ...ended, ...parts]);
  }

  async reset(tenant: string, key: string, atMs: number): Promise<void> {
    await this.maintain(tenant, key, ['reset', atMs]);
  }

  private async maintain(
    tenant: string,
    key: string,
    values: readonly (string | number)[],
  ): Promise<CounterReading | null> {
    const reply = await runScript(this.redis, MAINTENANCE, [this.redisKey(tenant, key)], values);
    return Array.isArray(reply) ? readingOf(reply) : null;
  }

  /**
   * Hashes the values that a policy is grouped by: callers write them, and they may be personal
   * names.
   */
  private redisKey(tenant: string, key: string): string {
    const [, counter, values] = GROUPED.exec(key) ?? [];
    if (counter === undefined || values === undefined) return `gw:limit:{${tenant}}:${key}`;
    const hash = createHmac('sha256', this.nameKey).update(values).digest('base64url').slice(0, HASH_LENGTH);
    return `gw:limit:{${tenant}}:${counter}:${hash}`;
  }
}

/** Matches the counter of a policy and the values that it counts. */
const GROUPED = /^(policy:[^:]+:(?:concurrency|[a-z]+:budget|[a-z]+:rp[a-z]:(?:fixed|sliding))):(.+)$/s;
/** 132 bits. */
const HASH_LENGTH = 22;

/**
 * Builds the JSON argument of the script. Its members have one-letter names because every round
 * trip sends it. `ROUND_TRIP_SCRIPT` lists those of the round trip; `statementArgument` those of a
 * counter.
 */
function argumentOf({ sequence, leaseMs, statements, claims, gone = [] }: CounterRoundTrip): string {
  return JSON.stringify({
    s: sequence,
    l: leaseMs,
    x: EXTRA_DIVISOR,
    y: CROWDED_MS,
    k: SKEW_MAX_MS,
    f: FORGET_HOLDER_MS,
    ...(gone.length === 0 ? {} : { z: Object.fromEntries(gone.map((process) => [process, 1])) }),
    c: statements.map(statementArgument),
    a: claims.map(({ counters, amounts }) => [...counters, ...amounts]),
  });
}

/** Omits members that are false or empty, because cjson would give a null a truthy value. */
function statementArgument(statement: CounterStatement): Record<string, unknown> {
  const { kind, value, strict, lengthMs, originMs, boundaries, period, seed } = statement;
  return {
    g: statement.holder,
    k: kind,
    v: value,
    ...(strict ? { t: true } : {}),
    l: lengthMs,
    o: originMs,
    b: boundaries,
    p: period,
    c: statement.consumed,
    h: statement.hold,
    w: statement.want,
    m: statement.least,
    ...(statement.known ? { n: true } : {}),
    ...(seed === null
      ? {}
      : { d: [seed.period, seed.used, Object.fromEntries(seed.holders), seed.adjusted ?? 0] }),
    i: lifeOf(statement),
  };
}

function counterOf(numbers: readonly number[], at: number): CounterReply {
  const number = (offset: number): number => numbers[at + offset] ?? 0;
  return {
    status: STATUSES[number(0)] ?? 'unknown',
    period: number(1),
    used: number(2),
    held: number(3),
    extra: number(4),
    consumed: number(5),
    holders: number(6),
    crowded: number(7) === 1,
  };
}

const NUMBERS_PER_READING = 3;
const NUMBERS_PER_HOLDER = 3;

function readingOf(reply: readonly unknown[]): CounterReading {
  const [period = 0, used = 0, held = 0] = numbersOf(reply.slice(0, NUMBERS_PER_READING)) ?? [];
  const holders: HolderReading[] = [];
  for (let at = NUMBERS_PER_READING; at < reply.length; at += NUMBERS_PER_HOLDER) {
    const [holder, consumed, silentMs] = reply.slice(at, at + NUMBERS_PER_HOLDER);
    holders.push({ holder: String(holder), consumed: Number(consumed), silentMs: Number(silentMs) });
  }
  return { period, used, held, holders };
}

function numbersOf(reply: unknown): number[] | null {
  if (!Array.isArray(reply)) return null;
  const numbers = reply.map(Number);
  return numbers.every(Number.isSafeInteger) ? numbers : null;
}
