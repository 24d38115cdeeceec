import { keyringOf } from '@gw/kernel';
import { connectRedis, RedisBus, redisReady, type Redis } from '@gw/redis';
import { eventually, withRedis } from '@gw/testing';
import { LocalBus } from './replica-bus';
import { ReplicaLink } from './replica-link';
import type { AnswerMessage } from './replica-messages';

const RING = keyringOf('spec', Buffer.alloc(32, 1));
const answer = (request: string, result: AnswerMessage['result'] = {}): AnswerMessage => ({
  ...{ kind: 'answer', request, owner: 'o', result },
});

describe('messages between gateways over Redis', () => {
  const server = withRedis();
  const open: Redis[] = [];
  let redis: Redis;
  let links: ReplicaLink[];
  let seen: string[][];

  const connect = async (): Promise<Redis> => {
    const connection = connectRedis({ url: server.url, name: 'spec' });
    open.push(connection);
    await redisReady(connection, 20_000);
    return connection;
  };
  const linked = async (ring = RING): Promise<ReplicaLink> => {
    const [commands, subscriptions] = [await connect(), await connect()];
    const link = new ReplicaLink(new RedisBus(commands, subscriptions), ring);
    const received: string[] = [];
    seen.push(received);
    link.on('answer', ({ request }) => received.push(request));
    await eventually(async () => (await subscribers(link.id)) === 1);
    return link;
  };
  const subscribers = async (id: string): Promise<number> => {
    const [, count] = (await redis.pubsub('NUMSUB', `gw:mcp:r:${id}`)) as [string, number];
    return count;
  };
  const at = (index: number): ReplicaLink => links[index] as ReplicaLink;

  beforeEach(async () => {
    seen = [];
    redis = await connect();
    links = [await linked(), await linked(), await linked()];
  });
  afterEach(() => {
    for (const link of links) link.close();
    for (const connection of open.splice(0)) connection.disconnect();
  });

  it('reach only their receiver, or all gateways but the sender', async () => {
    at(0).send(at(1).id, answer('a'));
    await eventually(() => seen[1]?.length === 1);
    at(0).broadcast(answer('b'));
    await eventually(() => seen[1]?.length === 2 && seen[2]?.length === 1);
    expect(seen).toEqual([[], ['a', 'b'], ['b']]);
  });

  it('may be as long as a result, and are refused if they are longer', async () => {
    const long: string[] = [];
    at(1).on('answer', ({ result }) => long.push(String(result?.['text'])));
    const text = 'é"😀\n'.repeat(1_500_000);
    expect(at(0).send(at(1).id, answer('a', { text }))).toBe(true);
    await eventually(() => long.length === 1);
    expect(long[0] === text).toBe(true);
    expect(at(0).send(at(1).id, answer('a', { text: 'x'.repeat(17_000_000) }))).toBe(false);
  });

  it('are dropped if they are forged: plain, for another gateway, or with another key', async () => {
    const stranger = await linked(keyringOf('spec', Buffer.alloc(32, 2)));
    const spy = await connect();
    const overheard: string[] = [];
    spy.on('message', (_channel, text: string) => overheard.push(text));
    await spy.subscribe(`gw:mcp:r:${at(1).id}`);
    at(0).send(at(1).id, answer('secret of a user'));
    await eventually(() => overheard.length === 1 && seen[1]?.length === 1);
    expect(overheard[0]).not.toContain('secret');
    const [sealed = ''] = overheard;
    stranger.send(at(1).id, answer('of another key'));
    for (const text of [JSON.stringify(answer('plain')), 'gwm1.x.y.z.a', '', 'x'.repeat(2_000_000)])
      await redis.publish(`gw:mcp:r:${at(1).id}`, text);
    await redis.publish(`gw:mcp:r:${at(2).id}`, sealed);
    await redis.publish('gw:mcp:r:all', sealed);
    at(0).send(at(1).id, answer('last'));
    at(0).send(at(2).id, answer('last'));
    await eventually(() => seen[1]?.at(-1) === 'last' && seen[2]?.at(-1) === 'last');
    expect(seen.slice(1, 3)).toEqual([['secret of a user', 'last'], ['last']]);
  });

  it('are lost while Redis is down, which is reported, and arrive again afterwards', async () => {
    let losses = 0;
    at(1).whenLost(() => (losses += 1));
    await server.kill();
    await eventually(() => losses > 0);
    at(0).send(at(1).id, answer('lost'));
    await server.start();
    await eventually(() => {
      at(0).send(at(1).id, answer('again'));
      return (seen[1]?.length ?? 0) > 0;
    });
    expect(seen[1]).not.toContain('lost');
  });
});

describe('messages of a gateway without Redis', () => {
  it('reach only itself', async () => {
    const link = new ReplicaLink(new LocalBus(), RING);
    const seen: string[] = [];
    link.on('answer', ({ request }) => seen.push(request));
    link.send(link.id, answer('a'));
    link.send('0'.repeat(32), answer('b'));
    link.broadcast(answer('c'));
    await eventually(() => seen.length > 0);
    expect(seen).toEqual(['a']);
  });
});
