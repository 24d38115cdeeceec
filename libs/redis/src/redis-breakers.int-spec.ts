import { breakerStoreContract, withRedis, eventually } from '@gw/testing';
import type { BreakerChange } from '@gw/contracts';
import type { Redis } from 'ioredis';
import { connectRedis, redisReady } from './connection';
import { RedisBreakers } from './redis-breakers';
import { RedisBus } from './redis-bus';

describe('RedisBreakers', () => {
  const server = withRedis();
  const open: Redis[] = [];

  async function connect(): Promise<Redis> {
    const redis = connectRedis({ url: server.url, name: 'breakers' });
    open.push(redis);
    await redisReady(redis, 20_000);
    return redis;
  }

  const store = async (): Promise<RedisBreakers> => {
    const commands = await connect();
    return new RedisBreakers(commands, new RedisBus(commands, await connect()));
  };

  beforeEach(async () => {
    await (await connect()).flushall();
  });
  afterEach(() => {
    for (const redis of open.splice(0)) redis.disconnect();
  });

  breakerStoreContract(async () => ({ one: await store(), other: await store() }));

  it('sends openings that happened while Redis was away, unless the breaker has closed or its cooldown is over', async () => {
    const [one, other] = [await store(), await store()];
    const received: BreakerChange[] = [];
    other.subscribe((change) => received.push(change));
    await server.kill();
    one.publish({ key: 'over', openForMs: 1 });
    one.publish({ key: 'closed', openForMs: 30_000 });
    one.publish({ key: 'closed', openForMs: 0 });
    one.publish({ key: 'open', openForMs: 30_000 });
    await server.start();
    await eventually(() => received.some(({ key }) => key === 'open'));
    expect(received.find(({ key }) => key === 'open')?.openForMs).toBeLessThanOrEqual(30_000);
    expect(received.map(({ key }) => key)).not.toContain('over');
    expect(received.map(({ key }) => key)).not.toContain('closed');
  });

  it('keeps a closing that arrives before the list of open breakers in which it is still open', async () => {
    const [one, commands, control] = [await store(), await connect(), await connect()];
    one.publish({ key: 'a', openForMs: 30_000 });
    await eventually(async () => (await control.zcard('gw:breakers')) === 1);
    const evals = async (): Promise<string | undefined> =>
      /cmdstat_eval:calls=(\d+)/.exec(await control.info('commandstats'))?.[1];
    const before = await evals();
    // Redis answers the query of the open breakers, and the gateway reads the answer later.
    commands.stream.pause();
    const received: BreakerChange[] = [];
    new RedisBreakers(commands, new RedisBus(commands, await connect())).subscribe((change) =>
      received.push(change),
    );
    await eventually(async () => (await evals()) !== before);
    one.publish({ key: 'a', openForMs: 0 });
    await eventually(() => received.length > 0);
    commands.stream.resume();
    await commands.ping();
    expect(received).toEqual([{ key: 'a', openForMs: 0 }]);
  });

  it('ignores messages and keys in another format', async () => {
    const one = await store();
    const received: BreakerChange[] = [];
    one.subscribe((change) => received.push(change));
    const redis = await connect();
    one.publish({ key: 'x'.repeat(513), openForMs: 30_000 });
    for (const text of ['{', '5', '{"key":5}']) await redis.publish('gw:breakers:changes', text);
    one.publish({ key: 'a', openForMs: 30_000 });
    await eventually(() => received.some(({ key }) => key === 'a'));
    expect(new Set(received.map(({ key }) => key))).toEqual(new Set(['a']));
  });
});
