import type { BreakerChange, BreakerStore } from '@gw/contracts';
import type { Redis } from 'ioredis';
import type { RedisBus } from './redis-bus';

const OPEN = 'gw:breakers';
const CHANNEL = 'gw:breakers:changes';
/** Maximum number of open breakers. Beyond it, those that close soonest are dropped. */
const CAPACITY = 10_000;
const KEY_LENGTH_MAX = 512;
const UNSENT_MAX = 1_000;

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** Stores the time at which a breaker half-opens, by Redis' clock, and notifies the subscribers. */
const CHANGE = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
if tonumber(ARGV[2]) > 0 then
  redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
  local over = redis.call('ZCARD', KEYS[1]) - ${String(CAPACITY)}
  if over > 0 then redis.call('ZREMRANGEBYRANK', KEYS[1], 0, over - 1) end
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
redis.call('PUBLISH', '${CHANNEL}', ARGV[3])
return 1`;

/** Returns the keys of open breakers, each with the milliseconds for which it stays open. */
const LOAD = `${NOW}
local open = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES')
for i = 2, #open, 2 do open[i] = string.format('%.0f', open[i] - now) end
return open`;

/**
 * Shares the state of breakers between gateways. While Redis is away, each gateway uses only what
 * it observes itself.
 */
export class RedisBreakers implements BreakerStore {
  /**
   * The newest openings that Redis has not accepted yet: the time at which the breaker half-opens,
   * by the monotonic clock of this process.
   */
  private readonly unsent = new Map<string, number>();

  constructor(
    private readonly redis: Redis,
    private readonly bus: RedisBus,
  ) {
    redis.on('ready', () => {
      this.sendUnsent();
    });
  }

  publish(change: BreakerChange): void {
    const { key, openForMs } = change;
    if (key.length > KEY_LENGTH_MAX) return;
    // A closing need not be sent later, because the other gateways probe the target when the
    // cooldown ends.
    this.unsent.delete(key);
    const until = performance.now() + openForMs;
    if (openForMs > 0) this.remember(key, until);
    this.redis.eval(CHANGE, 1, OPEN, key, Math.ceil(openForMs), JSON.stringify({ key, openForMs })).then(
      () => {
        if (this.unsent.get(key) === until) this.unsent.delete(key);
      },
      () => undefined,
    );
  }

  /**
   * Subscribes the only listener of the bus. Reports all open breakers again whenever the
   * subscription is restored.
   */
  subscribe(listener: (change: BreakerChange) => void): () => void {
    let isListening = true;
    let isLoaded = false;
    let loads = 0;
    // The connections deliver in any order: a message is newer than the list that is on its way.
    const changed = new Set<string>();
    const load = (): void => {
      loads += 1;
      const done = (): void => {
        loads -= 1;
        if (loads === 0) changed.clear();
      };
      this.redis.eval(LOAD, 1, OPEN).then((open) => {
        isLoaded = true;
        if (isListening) for (const change of pairs(open)) if (!changed.has(change.key)) listener(change);
        done();
      }, done);
    };
    // The two connections are restored in any order, so a failed query is repeated when the other
    // one is ready.
    const onReady = (): void => {
      if (!isLoaded) load();
    };
    this.redis.on('ready', onReady);
    const end = this.bus.subscribe(CHANNEL, {
      onMessage: (text) => {
        const change = parse(text);
        if (change === null) return;
        if (loads > 0) changed.add(change.key);
        listener(change);
      },
      onUp: () => {
        isLoaded = false;
        changed.clear();
        load();
      },
    });
    return () => {
      isListening = false;
      this.redis.off('ready', onReady);
      end();
    };
  }

  private remember(key: string, until: number): void {
    this.unsent.set(key, until);
    const [oldest] = this.unsent.keys();
    if (this.unsent.size > UNSENT_MAX && oldest !== undefined) this.unsent.delete(oldest);
  }

  private sendUnsent(): void {
    const unsent = [...this.unsent];
    this.unsent.clear();
    const now = performance.now();
    for (const [key, until] of unsent) if (until > now) this.publish({ key, openForMs: until - now });
  }
}

/** Returns null for a message in another format. */
function parse(text: string): BreakerChange | null {
  try {
    const { key, openForMs } = JSON.parse(text) as Partial<BreakerChange>;
    return typeof key === 'string' && typeof openForMs === 'number' ? { key, openForMs } : null;
  } catch {
    return null;
  }
}

function* pairs(open: unknown): Generator<BreakerChange> {
  if (!Array.isArray(open)) return;
  for (let index = 0; index + 1 < open.length; index += 2) {
    yield { key: String(open[index]), openForMs: Number(open[index + 1]) };
  }
}
