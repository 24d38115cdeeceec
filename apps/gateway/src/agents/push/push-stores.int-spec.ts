import { connectRedis, type Redis } from '@gw/redis';
import { eventually, withRedis } from '@gw/testing';
import { LocalTaskStore } from '../tasks/local-task-store';
import { SharedTaskStore } from '../tasks/shared-task-store';
import { LocalPushStore } from './local-push-store';
import {
  CONFIGS_LENGTH_MAX,
  OWNER_REGISTRATIONS_MAX,
  type PushRecord,
  type PushStore,
  type StoredPushConfig,
} from './push-store';
import { SharedPushStore } from './shared-push-store';

const owner = { workspaceId: 'workspace', principal: 'key:k' };
const record = (id: string): PushRecord => ({
  ...{ id, agentId: 'agent', agent: 'stub', organisationId: 'organisation', owner },
  ...{ caller: null, version: '1.0', tokenHash: '' },
});
const config = (id: string, length: number): StoredPushConfig => ({
  ...{ id, version: '1.0', sealed: 'x'.repeat(length) },
});

describe('stores of several gateways', () => {
  const server = withRedis();
  let redis: Redis;
  beforeEach(async () => {
    redis = connectRedis({ url: server.url, name: 'spec' });
    await eventually(() => redis.status === 'ready');
    await redis.flushall();
  });
  afterEach(() => redis.disconnect());

  it.each<[string, () => PushStore]>([
    ['Redis', () => new SharedPushStore(redis)],
    ['the process', () => new LocalPushStore()],
  ])('keep the configs of a registration within their length in %s', async (_where, create) => {
    const store = create();
    const registration = record('r');
    await store.put(registration);
    const half = CONFIGS_LENGTH_MAX / 2 - 100;
    expect(await store.putConfig(registration, config('a', half))).toBe(true);
    expect(await store.putConfig(registration, config('b', half))).toBe(true);
    expect(await store.putConfig(registration, config('c', 300))).toBe(false);
    expect(await store.putConfig(registration, config('b', 100))).toBe(true);
    expect(await store.putConfig(registration, config('c', 300))).toBe(true);
    expect((await store.configs(registration)).map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('keep the newest registrations of an owner in Redis', async () => {
    const store = new SharedPushStore(redis);
    for (let at = 0; at <= OWNER_REGISTRATIONS_MAX; at += 1) await store.put(record(`r${String(at)}`));
    const removed = await store.get('agent', 'r0');
    const kept = await store.get('agent', `r${String(OWNER_REGISTRATIONS_MAX)}`);
    expect([removed, kept]).toMatchObject([null, { record: { agentId: 'agent' } }]);
    expect(await redis.dbsize()).toBe(OWNER_REGISTRATIONS_MAX + 1);
  });

  it('mark a task as charged once in Redis', async () => {
    const stores = [0, 1].map(() => new SharedTaskStore(redis, new LocalTaskStore()));
    const task = { agentId: 'agent', taskId: 't', contextId: null, owner, updatedAt: 1 };
    for (const store of stores) await store.put({ ...task, state: 'TASK_STATE_WORKING' }, 'organisation');
    const marked = await Promise.all([...stores, ...stores].map((store) => store.markCharged('agent', 't')));
    expect(marked.filter((isFirst) => isFirst)).toHaveLength(1);
  });
});
