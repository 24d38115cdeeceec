import { documentKey } from '@gw/contracts';
import { Shares } from '@gw/kernel';
import { connectRedis, type Redis } from '@gw/redis';
import { eventually, withRedis } from '@gw/testing';
import { MapDocuments, ORGANISATION_ID, WORKSPACE_ID } from '../../spec-support/harness';
import { agentDocument } from '../spec-support/agent-server';
import type { StoredPoll } from './poll-leases';
import { PushAgents } from './push-agents';
import { PushPollers } from './push-pollers';
import type { PushRecord } from './push-store';
import { SharedPollLeases } from './shared-poll-leases';
import { SharedPushStore } from './shared-push-store';

const CARD = { origin: 'http://127.0.0.1:1', card: '{"name":"Stub","skills":[]}' };
/** Longer than a busy machine may stop this process, so that a lease ends only when a test ends it. */
const LEASE_MS = 600_000;
const KEYS = ['due', 'owner', 'poll'].map((name) => `gw:a2a:{polls}:${name}`);

describe('polls of several gateways', () => {
  const server = withRedis();
  const document = agentDocument(CARD, 'stub');
  const documents = new MapDocuments();
  documents.set(documentKey.agentServer(WORKSPACE_ID, document.id), document);
  const record: PushRecord = {
    ...{ id: 'r-1', agentId: document.id, agent: 'stub', organisationId: ORGANISATION_ID },
    owner: { workspaceId: WORKSPACE_ID, principal: 'key:k' },
    ...{ caller: null, version: '1.0', tokenHash: '' },
  };
  const poll: StoredPoll = {
    ...{ id: record.id, agentId: record.agentId, taskId: 't-1', endsAt: Date.now() + 600_000, seen: null },
  };
  let redis: Redis;
  let store: SharedPushStore;
  /** State of the task. */
  let state: string;
  /** Gateways and the states that they delivered. */
  let delivered: string[];
  let gateways: PushPollers[];
  beforeEach(async () => {
    redis = connectRedis({ url: server.url, name: 'spec' });
    store = new SharedPushStore(redis);
    await eventually(() => redis.status === 'ready');
    await redis.flushall();
    await store.put(record);
    await store.bind(record, 't-1');
    [state, delivered, gateways] = ['WORKING', [], []];
  });
  afterEach(() => {
    for (const gateway of gateways) gateway.close();
    redis.disconnect();
  });

  function gateway(name: string): PushPollers {
    const pollers = new PushPollers(
      {
        ...{ agents: new PushAgents(documents), store, memory: new Shares(1_000_000) },
        leases: new SharedPollLeases(redis, LEASE_MS),
        calls: {
          readTask: () =>
            Promise.resolve({ id: 't-1', contextId: 'c', status: { state: `TASK_STATE_${state}` } }),
        },
        delivery: {
          deliver: () => {
            delivered.push(`${name} ${state}`);
            return Promise.resolve('sent');
          },
        },
      },
      { pollMs: 10, takeMs: 20 },
    );
    gateways.push(pollers);
    return pollers;
  }
  const left = async (): Promise<number> => {
    const [due = '', owner = '', polls = ''] = KEYS;
    return (await redis.zcard(due)) + (await redis.hlen(owner)) + (await redis.hlen(polls));
  };

  it('continue at another gateway when one stops, without a repeated notification', async () => {
    const [first] = [gateway('a'), gateway('b')];
    await first.start(record, 't-1');
    await eventually(() => delivered.length === 1);
    // The lease with the reported state is stored in the next turn.
    await eventually(async () => !(await redis.hget(KEYS[2] ?? '', record.id))?.includes('"seen":null'));
    first.close();
    const [due = '', owner = ''] = KEYS;
    const before = await redis.hget(owner, record.id);
    await eventually(async () => {
      // Ends the lease early. A poll that was running when its gateway stopped may renew it once.
      await redis.zadd(due, 1, record.id);
      return (await redis.hget(owner, record.id)) !== before;
    });
    state = 'COMPLETED';
    await eventually(() => delivered.length === 2);
    expect(delivered).toEqual(['a WORKING', 'b COMPLETED']);
    await eventually(async () => (await left()) === 0);
  });

  it('are not started at a second gateway while the first one polls', async () => {
    const [first, second] = [gateway('a'), gateway('b')];
    await first.start(record, 't-1');
    await eventually(() => delivered.length === 1);
    expect(await second.start(record, 't-1')).toBe(true);
    state = 'COMPLETED';
    await eventually(() => delivered.length === 2);
    expect(delivered).toEqual(['a WORKING', 'a COMPLETED']);
  });

  it('stop at a gateway that has lost its lease', async () => {
    const first = gateway('a');
    await first.start(record, 't-1');
    await eventually(() => delivered.length === 1);
    await redis.hset(KEYS[1] ?? '', record.id, 'another gateway');
    await redis.zadd(KEYS[0] ?? '', Date.now() + LEASE_MS, record.id);
    const stored = await redis.hget(KEYS[2] ?? '', record.id);
    state = 'COMPLETED';
    const idle = jest.spyOn(redis, 'eval');
    await eventually(() => idle.mock.calls.length > 6);
    expect(await redis.hget(KEYS[2] ?? '', record.id)).toBe(stored);
    expect(delivered).toEqual(['a WORKING']);
    idle.mockRestore();
  });

  it('end when their registration or their time ends, or when their state cannot be read', async () => {
    const leases = new SharedPollLeases(redis, 0);
    await leases.hold({ ...poll, id: 'gone' });
    await leases.hold({ ...poll, endsAt: Date.now() - 1 });
    await redis.zadd(KEYS[0] ?? '', 1, 'broken');
    await redis.hset(KEYS[2] ?? '', 'broken', '{');
    gateway('a');
    await eventually(async () => (await left()) === 0);
    expect(delivered).toEqual([]);
  });
});
