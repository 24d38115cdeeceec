import type { Redis } from 'ioredis';
import type { RedisScripts } from '../redis-scripts';

/** Scripts of a Redis whose clock is the test's; `now` returns Unix milliseconds. */
export function scriptsAt(redis: Pick<Redis, 'eval'>, now: () => number): RedisScripts {
  return {
    evalsha: () => Promise.reject(new Error('NOSCRIPT: the time is part of the script.')),
    eval: (script, ...rest) => {
      const at = Math.floor(now());
      const time = `{ ${String(Math.floor(at / 1_000))}, ${String((at % 1_000) * 1_000)} }`;
      return redis.eval(script.replaceAll("redis.call('TIME')", time), ...rest);
    },
  };
}
