import { keyringOf } from '@gw/kernel';
import { connectRedis, RedisBus, redisReady, type Redis } from '@gw/redis';
import { eventually, withRedis } from '@gw/testing';
import { LocalBus } from '../replicas/replica-bus';
import { ReplicaLink } from '../replicas/replica-link';
import { MemorySessionStore } from './memory-session-store';
import { RedisSessionStore } from './redis-session-store';
import { SessionStates, type SessionState } from './session-states';
import { SESSIONS_OF_CALLER_MAX, type SessionStore } from './session-store';

const RING = keyringOf('spec', Buffer.alloc(32, 1));
const NAME = { principal: 'p1', session: 'aa' };
const uri = (at: number, length = 20): string => `test://${String(at)}/`.padEnd(length, 'x');

describe('sessions of two gateways that share a Redis', () => {
  const server = withRedis();
  const open: Redis[] = [];
  let redis: Redis;
  let gateways: SessionStates[];

  const connect = async (): Promise<Redis> => {
    const connection = connectRedis({ url: server.url, name: 'spec' });
    open.push(connection);
    await redisReady(connection, 20_000);
    return connection;
  };
  beforeEach(async () => {
    redis = await connect();
    await redis.flushall();
    gateways = await Promise.all(
      [0, 1].map(async () => {
        const [commands, subscriptions] = [await connect(), await connect()];
        const link = new ReplicaLink(new RedisBus(commands, subscriptions), RING);
        return new SessionStates(new RedisSessionStore(commands, RING), link);
      }),
    );
  });
  afterEach(() => {
    for (const connection of open.splice(0)) connection.disconnect();
  });
  const at = async (index: number, name = NAME): Promise<SessionState> =>
    (gateways[index] as SessionStates).of(name);

  it('have the log level and the subscriptions that clients set at the other one', async () => {
    expect((await at(1)).logLevel).toBeNull();
    await (await at(0)).setLogLevel('debug');
    await (await at(0)).subscribe(uri(1));
    await eventually(async () => {
      const { logLevel, subscriptions } = await at(1);
      return logLevel === 'debug' && subscriptions.has(uri(1));
    });
    await (await at(1)).unsubscribe(uri(1));
    await eventually(async () => (await at(0)).subscriptions.size === 0);
  });

  it('notify the gateway with the stream of a session, also while nothing uses its state', async () => {
    const watched = await at(0);
    let changes = 0;
    watched.onChange = () => (changes += 1);
    await eventually(async () => {
      const other = await at(1);
      await other.unsubscribe(uri(1));
      await other.subscribe(uri(1));
      return changes > 0;
    });
    expect([...watched.subscriptions]).toEqual([uri(1)]);
  });

  it('end at both once their client ended them', async () => {
    expect((await at(1)).isEnded).toBe(false);
    await (await at(0)).end(Date.now() + 60_000);
    await eventually(async () => (await at(1)).isEnded);
    expect((await at(1, { ...NAME, session: 'bb' })).isEnded).toBe(false);
  });

  it('have 100 subscriptions of 64 KiB at most, whichever gateway gets them', async () => {
    const [first, second] = [await at(0), await at(1)];
    const taken: boolean[] = [];
    for (let index = 0; index < 60; index += 1)
      taken.push(await first.subscribe(uri(index)), await second.subscribe(uri(100 + index)));
    expect(taken.filter(Boolean).length).toBeLessThanOrEqual(102);
    await second.read();
    expect(second.subscriptions.size).toBe(taken.filter(Boolean).length);
    const long = await at(0, { ...NAME, session: 'bb' });
    const kept = await Promise.all(
      Array.from({ length: 60 }, (_, index) => long.subscribe(uri(index, 2_000))),
    );
    expect(kept).toContain(false);
  });

  it('are limited for each caller: the least recently used ones are removed', async () => {
    const store = new RedisSessionStore(redis, RING);
    const named = (index: number) => ({ ...NAME, session: `s${String(index)}` });
    await store.setLogLevel({ ...NAME, principal: 'p2' }, 'error');
    for (let index = 0; index < 1_010; index += 1) await store.setLogLevel(named(index), 'debug');
    for (let index = 0; index < 1_010; index += 1) await store.end(named(2_000 + index), Date.now() + 60_000);
    expect((await store.load(named(0))).logLevel).toBeNull();
    expect((await store.load(named(1_009))).logLevel).toBe('debug');
    expect((await store.load({ ...NAME, principal: 'p2' })).logLevel).toBe('error');
    expect(await redis.zcard('gw:mcp:end:{p1}')).toBe(1_000);
  });

  it('ignore forged entries in Redis', async () => {
    const store = new RedisSessionStore(redis, RING);
    await store.setLogLevel({ ...NAME, session: 'bb' }, 'debug');
    const foreign = (await redis.hget('gw:mcp:up:{p1}:bb', 'level')) ?? '';
    await redis.hset('gw:mcp:up:{p1}:aa', { level: foreign, 'uri:made-up': 'test://up', lists: '{}' });
    expect(await store.load(NAME)).toEqual({
      ...{ isEnded: false, logLevel: null, seenLists: null, subscriptions: [] },
    });
  });

  it('continue with the state that their gateway knows while Redis is down', async () => {
    await (await at(0)).setLogLevel('debug');
    await server.kill();
    const state = await at(0);
    await state.setLogLevel('error');
    expect(await state.subscribe(uri(1))).toBe(true);
    expect([(await at(0)).logLevel, (await at(0)).subscriptions.size]).toEqual(['error', 1]);
    await server.start();
  });
});

describe('sessions of a gateway without Redis', () => {
  const stores: SessionStore = new MemorySessionStore();
  const states = new SessionStates(stores, new ReplicaLink(new LocalBus(), RING));

  it('are kept in the process', async () => {
    const state = await states.of(NAME);
    await state.setLogLevel('debug');
    await state.subscribe(uri(1));
    await state.read();
    expect([state.logLevel, [...state.subscriptions]]).toEqual(['debug', [uri(1)]]);
    await state.end(Date.now());
    await state.read();
    expect(state.isEnded).toBe(true);
  });

  it('are limited in characters, and in number for each caller, without an effect on other callers', async () => {
    const long = (number: number): string => `test://${String(number)}/${'x'.repeat(20_000)}`;
    const other = { principal: 'another', session: 'theirs' };
    await stores.subscribe(other, 'test://theirs');
    for (const at of [1, 2, 3]) expect(await stores.subscribe(NAME, long(at))).toBe(true);
    expect(await stores.subscribe(NAME, long(4))).toBe(false);
    for (let at = 0; at < SESSIONS_OF_CALLER_MAX; at += 1)
      await stores.setLogLevel({ ...NAME, session: `more-${String(at)}` }, 'debug');
    expect((await stores.load(NAME)).subscriptions).toEqual([]);
    expect((await stores.load({ ...NAME, session: 'more-0' })).logLevel).toBe('debug');
    expect((await stores.load(other)).subscriptions).toEqual(['test://theirs']);
  });
});
