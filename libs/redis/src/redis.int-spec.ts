import { documentRedisKey, type OrganisationDocument } from '@gw/contracts';
import { eventually, withRedis } from '@gw/testing';
import type { Redis } from 'ioredis';
import { connectRedis, redisReady } from './connection';
import { RedisBus } from './redis-bus';
import { RedisDocuments } from './redis-documents';

const organisation = (name: string): OrganisationDocument => ({
  kind: 'organisation',
  version: name,
  id: 'a',
  name,
  status: 'active',
  blockInlineConfig: false,
  logBodies: true,
});

describe('connectRedis, RedisBus and RedisDocuments', () => {
  const server = withRedis();
  const open: Redis[] = [];
  let log: string[];

  async function connect(): Promise<Redis> {
    const redis = connectRedis({
      url: server.url,
      name: 'spec',
      // The timeout is longer than a test may take, so a failed command has not waited for it.
      commandTimeoutMs: 120_000,
      log: { info: (message) => log.push(message), warn: (message) => log.push(message) },
    });
    open.push(redis);
    await redisReady(redis, 20_000);
    return redis;
  }

  beforeEach(() => {
    log = [];
  });
  afterEach(() => {
    for (const redis of open.splice(0)) redis.disconnect();
  });

  it('fail commands immediately while Redis is away, log the loss once, and work again afterwards', async () => {
    const redis = await connect();
    await server.kill();
    await eventually(() => redis.status !== 'ready');
    // Both run in the same turn of the event loop, so the command waited for no timer and no
    // socket.
    const nextTurn = new Promise((resolve) => setImmediate(resolve, 'nextTurn'));
    const command = redis.get('x').then(
      () => 'answered',
      () => 'failed',
    );
    expect(await Promise.race([command, nextTurn])).toBe('failed');
    await expect(redisReady(redis, 100)).rejects.toThrow('cannot be reached');
    await server.start();
    await redisReady(redis, 20_000);
    await expect(redis.get('x')).resolves.toBeNull();
    expect(log).toHaveLength(2);
  });

  it('receive a channel again after Redis was away, and report the gap', async () => {
    const bus = new RedisBus(await connect(), await connect());
    const events: string[] = [];
    bus.subscribe('news', {
      onMessage: (text) => events.push(text),
      onUp: () => events.push('up'),
      onDown: () => {
        if (events.at(-1) !== 'down') events.push('down');
      },
    });
    await eventually(() => events.includes('up'));
    await bus.publish('news', 'one');
    await eventually(() => events.includes('one'));
    await server.kill();
    await eventually(() => events.includes('down'));
    await server.start();
    await eventually(async () => {
      await bus.publish('news', 'two');
      return events.includes('two');
    });
    expect(events.slice(0, 5)).toEqual(['up', 'one', 'down', 'up', 'two']);
  });

  it('keep the newer of two copies, whichever is written last', async () => {
    const redis = await connect();
    const documents = new RedisDocuments(redis);
    const key = 'organisation:a';
    await documents.write([{ key, document: organisation('new'), sequence: 10 }]);
    await documents.write([{ key, document: organisation('old'), sequence: 9 }]);
    expect((await documents.read([key])).get(key)).toMatchObject({ sequence: 10, document: { name: 'new' } });
    await documents.write([{ key, document: null, sequence: 11 }]);
    await documents.write([{ key, document: organisation('new'), sequence: 10 }]);
    expect((await documents.read([key])).get(key)).toEqual({ key, sequence: 11, document: null });
  });

  it('lose the copy of a document that cannot be read, and take no older one', async () => {
    const documents = new RedisDocuments(await connect());
    const key = 'organisation:unreadable';
    await documents.write([{ key, document: organisation('old'), sequence: 9 }]);
    await documents.invalidate([key], 10);
    expect((await documents.read([key])).size).toBe(0);
    await documents.write([{ key, document: organisation('old'), sequence: 9 }]);
    expect((await documents.read([key])).size).toBe(0);
    await documents.write([{ key, document: organisation('new'), sequence: 11 }]);
    expect((await documents.read([key])).get(key)).toMatchObject({ sequence: 11 });
  });

  it('expire documents after 7 days, and their absence after an hour', async () => {
    const redis = await connect();
    const copies = [
      { key: 'organisation:kept', document: organisation('a'), sequence: 1 },
      { key: 'organisation:gone', document: null, sequence: 1 },
    ];
    await new RedisDocuments(redis).write(copies);
    const days = (await redis.ttl(documentRedisKey('organisation:kept'))) / 86_400;
    const hours = (await redis.ttl(documentRedisKey('organisation:gone'))) / 3_600;
    expect([Math.round(days), Math.round(hours)]).toEqual([7, 1]);
  });

  it('treat a text in another format as a missing copy', async () => {
    const redis = await connect();
    const texts = ['nonsense', '{}', 'null', '{"sequence":"1","document":null}'];
    const keys = texts.map((_, i) => `organisation:${String(i)}`);
    for (const [i, text] of texts.entries()) await redis.set(documentRedisKey(keys[i] ?? ''), text);
    expect((await new RedisDocuments(redis).read(keys)).size).toBe(0);
  });

  it('restart without any document, and never lower the published sequence', async () => {
    const redis = await connect();
    const documents = new RedisDocuments(redis);
    const copies = Array.from({ length: 250 }, (_, i) => ({
      key: `organisation:${String(i)}`,
      document: organisation('a'),
      sequence: 50,
    }));
    await documents.write(copies);
    await documents.advance(50);
    await documents.advance(40);
    expect(await documents.published()).toBe(50);
    await redis.set('another:key', 'stays');
    await documents.restart(3);
    expect(await documents.published()).toBe(3);
    expect((await documents.read(copies.map(({ key }) => key))).size).toBe(0);
    expect(await redis.get('another:key')).toBe('stays');
  });
});
