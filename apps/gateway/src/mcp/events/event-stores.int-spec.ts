import { keyringOf } from '@gw/kernel';
import { connectRedis, RedisBus, redisReady, type Redis } from '@gw/redis';
import { eventually, withRedis } from '@gw/testing';
import type { EventStore, StreamName } from './event-store';
import { MemoryEventStore } from './memory-event-store';
import { RedisEventStore } from './redis-event-store';

const RING = keyringOf('spec', Buffer.alloc(32, 1));
const NAME: StreamName = { principal: 'p1', session: 's1', stream: 'cabc' };
const sized = (characters: number): string => JSON.stringify('x'.repeat(characters - 2));

describe.each(['memory', 'Redis'] as const)('stored events in %s', (kind) => {
  const server = withRedis();
  let redis: Redis;
  let subscriptions: Redis;
  let store: EventStore;

  beforeEach(async () => {
    redis = connectRedis({ url: server.url, name: 'spec', commandTimeoutMs: 20_000 });
    subscriptions = connectRedis({ url: server.url, name: 'spec-events', commandTimeoutMs: 20_000 });
    await Promise.all([redisReady(redis, 20_000), redisReady(subscriptions, 20_000)]);
    await redis.flushall();
    store =
      kind === 'memory'
        ? new MemoryEventStore()
        : new RedisEventStore(redis, new RedisBus(redis, subscriptions), RING);
  });
  afterEach(() => {
    redis.disconnect();
    subscriptions.disconnect();
  });

  const add = (count: number, { name = NAME, json = '"m"', from = 1 } = {}): void => {
    for (let number = from; number < from + count; number += 1) store.add(name, { number, json }, false);
  };
  const numbers = async (after: number, name = NAME): Promise<number[] | null> =>
    (await store.read(name, after))?.events.map(({ number }) => number) ?? null;

  it('are read after a given number, once each, with their end', async () => {
    add(3);
    expect(await store.read(NAME, 1)).toEqual({
      events: [
        { number: 2, json: '"m"' },
        { number: 3, json: '"m"' },
      ],
      isEnded: false,
    });
    store.add(NAME, { number: 4, json: '"end"' }, true);
    expect(await store.read(NAME, 3)).toEqual({ events: [{ number: 4, json: '"end"' }], isEnded: true });
    expect(await numbers(4)).toEqual([]);
  });

  it('are found only by the caller and session that they belong to', async () => {
    add(3);
    for (const other of [{ principal: 'p2' }, { session: 's2' }, { stream: 'cabd' }])
      expect(await numbers(0, { ...NAME, ...other })).toBeNull();
  });

  it('are limited to the last 100 of a stream and 262,144 characters, and the first event stays known', async () => {
    store.add(NAME, { number: 1, json: '{"id":1}' }, false);
    add(149, { from: 2 });
    expect((await numbers(50))?.length).toBeLessThanOrEqual(100);
    expect((await numbers(140))?.at(-1)).toBe(150);
    expect(await store.first(NAME)).toBe('{"id":1}');
    add(10, { from: 151, json: sized(100_000) });
    const left = (await numbers(150)) ?? [];
    expect([left.length < 4, left.at(-1)]).toEqual([true, 160]);
    expect(await store.first(NAME)).toBe('{"id":1}');
  });

  it('are limited for each caller, whose own oldest streams are evicted', async () => {
    const of = (principal: string, at: number) => ({ ...NAME, principal, stream: `c${String(at)}` });
    add(1, { name: of('p2', 0) });
    for (let at = 0; at < 70; at += 1) add(1, { name: of('p1', at) });
    const found = await Promise.all(Array.from({ length: 70 }, (_, at) => numbers(0, of('p1', at))));
    expect(found.filter((each) => each !== null)).toHaveLength(64);
    for (let at = 0; at < 20; at += 1) add(1, { name: of('p3', at), json: sized(260_000) });
    const big = await Promise.all(Array.from({ length: 20 }, (_, at) => numbers(0, of('p3', at))));
    expect(big.filter((found) => found !== null).length).toBeLessThanOrEqual(18);
    expect(big.at(-1)).toEqual([1]);
    expect(await numbers(0, of('p2', 0))).toEqual([1]);
  });

  it('notify those who watch the stream', async () => {
    let count = 0;
    const end = store.watch(
      NAME,
      () => (count += 1),
      () => undefined,
    );
    await eventually(() => {
      if (count === 0) add(1);
      return count > 0;
    });
    end();
  });
});

describe('events in Redis', () => {
  const server = withRedis();

  it('are kept for longer by a call that is still running', async () => {
    const redis = connectRedis({ url: server.url, name: 'spec', commandTimeoutMs: 20_000 });
    await redisReady(redis, 20_000);
    const store = new RedisEventStore(redis, new RedisBus(redis, null), RING);
    const name = { ...NAME, principal: 'p9' };
    store.add(name, { number: 1, json: '"m"' }, false);
    const key = 'gw:mcp:ev:{p9}:s1:cabc';
    await eventually(async () => (await redis.exists(key)) === 1);
    const keys = [key, 'gw:mcp:ev-times:{p9}', 'gw:mcp:ev-sizes:{p9}'];
    for (const each of keys) await redis.pexpire(each, 30_000);
    store.keep(name);
    await eventually(async () =>
      (await Promise.all(keys.map((each) => redis.pttl(each)))).every((ms) => ms > 200_000),
    );
    expect((await store.read(name, 0))?.events).toHaveLength(1);
    store.keep({ ...name, stream: 'cnone' });
    expect(await store.read({ ...name, stream: 'cnone' }, 0)).toBeNull();
    redis.disconnect();
  });

  it('are ignored when forged: made up, moved from another stream, or repeated under another number', async () => {
    const redis = connectRedis({ url: server.url, name: 'spec', commandTimeoutMs: 20_000 });
    await redisReady(redis, 20_000);
    const store = new RedisEventStore(redis, new RedisBus(redis, null), RING);
    const other = { ...NAME, session: 's2' };
    store.add(NAME, { number: 1, json: '"mine"' }, false);
    store.add(other, { number: 2, json: '"theirs"' }, false);
    const theirs = await eventually(async () => {
      const [entry] = await redis.xrange('gw:mcp:ev:{p1}:s2:cabc', '-', '+');
      return entry?.[1][1];
    });
    const own = 'gw:mcp:ev:{p1}:s1:cabc';
    const [[, [, mine = ''] = []] = []] = await redis.xrange(own, '-', '+');
    await redis.xadd(own, '2-0', 'e', theirs, 'x', '0');
    await redis.xadd(own, '3-0', 'e', '{"method":"made up"}', 'x', '0');
    await redis.xadd(own, '4-0', 'e', mine, 'x', '0');
    expect(await store.read(NAME, 0)).toEqual({ events: [{ number: 1, json: '"mine"' }], isEnded: false });
    redis.disconnect();
  });
});
