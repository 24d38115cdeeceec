import type { BreakerChange, BreakerStore } from '@gw/contracts';
import type { Redis } from 'ioredis';
import type { RedisBus } from './redis-bus';

const OPEN = 'gw:breakers';
const CHANNEL = 'gw:breakers:changes';
/** Breakers that are kept; past it those that close soonest are dropped. */
const CAPACITY = 10_000;
const KEY_LENGTH_MAX = 512;
const UNTOLD_MAX = 1_000;

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** Keeps the moment at which each breaker half-opens, by Redis' clock, and tells who listens. */
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

/** Keys with the milliseconds that they stay open. */
const LOAD = `${NOW}
local open = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES')
for i = 2, #open, 2 do open[i] = string.format('%.0f', open[i] - now) end
return open`;

/** Shares breakers between gateways. While Redis is away each gateway goes by what it sees itself. */
export class RedisBreakers implements BreakerStore {
  /** What opened and Redis has not taken yet, with the moment it half-opens by this process' monotonic clock; the newest at most. */
  private readonly untold = new Map<string, number>();

  constructor(
    private readonly redis: Redis,
    private readonly bus: RedisBus,
  ) {
    redis.on('ready', () => {
      this.tellUntold();
    });
  }

  publish(change: BreakerChange): void {
    const { key, openForMs } = change;
    if (key.length > KEY_LENGTH_MAX) return;
    // That one closed need not be sent later: the others probe the target themselves when its time is over.
    this.untold.delete(key);
    const until = performance.now() + openForMs;
    if (openForMs > 0) this.remember(key, until);
    this.redis.eval(CHANGE, 1, OPEN, key, Math.ceil(openForMs), JSON.stringify({ key, openForMs })).then(
      () => {
        if (this.untold.get(key) === until) this.untold.delete(key);
      },
      () => undefined,
    );
  }

  /** One listener for each bus. What is open is sent anew whenever the subscription comes back. */
  subscribe(listener: (change: BreakerChange) => void): () => void {
    let isListening = true;
    let isLoaded = false;
    const load = (): void => {
      this.redis.eval(LOAD, 1, OPEN).then(
        (open) => {
          isLoaded = true;
          if (isListening) for (const change of pairs(open)) listener(change);
        },
        () => undefined,
      );
    };
    // The two connections come back in any order: a query that failed is repeated when the other one is there.
    const onReady = (): void => {
      if (!isLoaded) load();
    };
    this.redis.on('ready', onReady);
    const end = this.bus.subscribe(CHANNEL, {
      onMessage: (text) => {
        const change = parse(text);
        if (change !== null) listener(change);
      },
      onUp: () => {
        isLoaded = false;
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
    this.untold.set(key, until);
    const [oldest] = this.untold.keys();
    if (this.untold.size > UNTOLD_MAX && oldest !== undefined) this.untold.delete(oldest);
  }

  private tellUntold(): void {
    const untold = [...this.untold];
    this.untold.clear();
    const now = performance.now();
    for (const [key, until] of untold) if (until > now) this.publish({ key, openForMs: until - now });
  }
}

/** Null for a message that is none of ours. */
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
