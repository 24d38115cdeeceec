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

  describe.each<[string, () => PushStore]>([
    ['Redis', () => new SharedPushStore(redis)],
    ['the process', () => new LocalPushStore()],
  ])('with registrations of one task in %s', (_where, create) => {
    const task = { agentId: 'agent', taskId: 't', owner };
    let store: PushStore;
    const bound = async (registration: PushRecord): Promise<PushRecord> => {
      await store.put(registration);
      await store.bind(registration, 't');
      return registration;
    };
    beforeEach(() => {
      store = create();
    });

    it('find the new one when the older one is gone, although its task is still known', async () => {
      const gone = await bound(record('gone'));
      await store.remove({ record: gone, taskId: null });
      await bound(record('new'));
      expect(await store.ofTask(task)).toMatchObject({ record: { id: 'new' } });
    });

    it('find the first one of two, also after the second one was removed', async () => {
      await bound(record('first'));
      const second = await bound(record('second'));
      await store.remove({ record: second, taskId: 't' });
      expect(await store.ofTask(task)).toMatchObject({ record: { id: 'first' } });
    });

    it('find only those of the owner of the task, because agents may use an id again', async () => {
      await bound(record('mine'));
      const other = { workspaceId: 'workspace', principal: 'key:other' };
      expect(await store.ofTask({ ...task, owner: other })).toBeNull();
      await bound({ ...record('others'), owner: other });
      expect(await store.ofTask({ ...task, owner: other })).toMatchObject({ record: { id: 'others' } });
      expect(await store.ofTask(task)).toMatchObject({ record: { id: 'mine' } });
    });
  });

  it('know the registration of a task for as long as it exists in Redis', async () => {
    const store = new SharedPushStore(redis);
    const registration = record('r');
    await store.put(registration);
    await store.bind(registration, 't');
    for (const key of await redis.keys('*:pt:*')) await redis.expire(key, 100);
    await store.bind(registration, 't');
    const [left = 0] = await Promise.all((await redis.keys('*:pt:*')).map((key) => redis.ttl(key)));
    expect(left).toBeGreaterThan(100);
  });

  it('keep the newest registrations of an owner in Redis', async () => {
    const store = new SharedPushStore(redis);
    for (let at = 0; at <= OWNER_REGISTRATIONS_MAX; at += 1) await store.put(record(`r${String(at)}`));
    const removed = await store.get('agent', 'r0');
    const kept = await store.get('agent', `r${String(OWNER_REGISTRATIONS_MAX)}`);
    expect([removed, kept]).toMatchObject([null, { record: { agentId: 'agent' } }]);
    expect(await redis.dbsize()).toBe(OWNER_REGISTRATIONS_MAX + 1);
  });

  it('count registrations that were removed no longer in Redis', async () => {
    const store = new SharedPushStore(redis);
    await store.put(record('kept'));
    for (let at = 0; at < OWNER_REGISTRATIONS_MAX; at += 1) {
      await store.put(record(`r${String(at)}`));
      await store.remove({ record: record(`r${String(at)}`), taskId: null });
    }
    expect(await store.get('agent', 'kept')).not.toBeNull();
  });

  it('mark a task as charged once in Redis', async () => {
    const stores = [0, 1].map(() => new SharedTaskStore(redis, new LocalTaskStore()));
    const task = { agentId: 'agent', taskId: 't', contextId: null, owner, updatedAt: 1 };
    for (const store of stores) await store.put({ ...task, state: 'TASK_STATE_WORKING' }, 'organisation');
    const marked = await Promise.all([...stores, ...stores].map((store) => store.markCharged('agent', 't')));
    expect(marked.filter((isFirst) => isFirst)).toHaveLength(1);
  });
});
