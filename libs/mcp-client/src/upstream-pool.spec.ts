import { closedAfterEach, eventsOf, until } from './spec-support/fixture';
import { sdkServer, streamableSdk } from './spec-support/sdk-servers';
import { UpstreamPool } from './upstream-pool';

const { serve, upstream } = closedAfterEach();
const echo = { name: 'echo', arguments: { text: 'hi' } };

async function pooled(upstreamsMax: number) {
  const sessions = streamableSdk(sdkServer);
  const server = await serve(sessions.answer);
  const pool = new UpstreamPool(upstreamsMax);
  const get = (key: string, workspaceId = 'workspace-1', organisationId = `of-${workspaceId}`) =>
    pool.get(key, { workspaceId, organisationId }, () => upstream(server.url));
  return { sessions, pool, get };
}

describe('UpstreamPool', () => {
  it('ends the session of the least recently used upstream', async () => {
    const { sessions, pool, get } = await pooled(4);
    for (const key of ['a', 'b']) await eventsOf(get(key)?.call(echo) ?? fail());
    const [first, second] = sessions.open();
    expect(get('a')).toBe(get('a'));
    get('c');
    await until(() => sessions.open().length === 1);
    expect(sessions.open()).toEqual([first]);
    expect(second).toBeDefined();
    expect(pool.size).toBe(2);
  });

  it('ends idle sessions of the workspace whose share is full, and none of another workspace', async () => {
    const { pool, get } = await pooled(8);
    const [mine, second] = [get('mine-1', 'quiet'), get('mine-2', 'quiet')];
    for (let index = 0; index < 100; index += 1) expect(get(`busy-${String(index)}`, 'busy')).not.toBeNull();
    expect([get('mine-1', 'quiet'), get('mine-2', 'quiet')]).toEqual([mine, second]);
    expect(pool.has('busy-99')).toBe(true);
    expect(pool.size).toBeLessThan(8);
    // There is room for a third workspace.
    expect(get('third', 'third')).not.toBeNull();
    expect(pool.has('mine-1')).toBe(true);
  });

  it('refuses the upstream of a workspace whose share is in use, and serves another workspace', async () => {
    const { get } = await pooled(4);
    const calls = ['a', 'b'].map((key) => get(key, 'busy')?.call({ name: 'wait' }));
    for (const call of calls) await call?.next();
    expect(get('c', 'busy')).toBeNull();
    expect(get('d', 'quiet')).not.toBeNull();
    for (const call of calls) await call?.return();
    expect(get('c', 'busy')).not.toBeNull();
  });

  it('keeps each workspace within its share while others come and go', async () => {
    const { pool, get } = await pooled(8);
    for (let round = 0; round < 6; round += 1) {
      for (let index = 0; index < 4; index += 1) get(`busy-${String(round)}-${String(index)}`, 'busy');
      for (const key of ['a', 'b']) expect(get(key, 'quiet')).not.toBeNull();
      expect(get(`busy-${String(round)}-more`, 'busy')).not.toBeNull();
      await Promise.all([pool.drop('a'), pool.drop('b')]);
    }
    expect(pool.size).toBe(4);
  });

  it('gives a workspace of an organisation whose share is full a place of that organisation', async () => {
    const { pool, get } = await pooled(8);
    for (const key of ['a', 'b']) get(key, 'quiet');
    for (let index = 0; index < 20; index += 1)
      expect(get(`busy-${String(index)}`, `busy-${String(index)}`, 'busy')).not.toBeNull();
    expect(['a', 'b', 'busy-19'].map((key) => pool.has(key))).toEqual([true, true, true]);
    expect(pool.size).toBe(6);
  });

  it('serves every workspace although there are more than places', async () => {
    const { pool, get } = await pooled(3);
    for (let index = 0; index < 20; index += 1)
      expect(get(`other-${String(index)}`, `other-${String(index)}`)).not.toBeNull();
    expect(pool.size).toBe(3);
  });

  it('evicts no upstream with a call in flight', async () => {
    const { get } = await pooled(1);
    const call = get('a')?.call({ name: 'wait' });
    expect(await call?.next()).toMatchObject({ value: { kind: 'notification' } });
    expect(get('b')).toBeNull();
    await call?.return();
    expect(get('b')).not.toBeNull();
  });

  it('evicts an upstream with a listener only if all others have calls in flight', async () => {
    const { get } = await pooled(4);
    const [watched, used] = [get('a'), get('b')];
    const abort = new AbortController();
    const listening = watched?.listen({}, { signal: abort.signal }).next();
    expect(watched?.listeners).toBe(1);
    // `b` was used later than `a` and is evicted first, because nothing uses it.
    expect(get('c')).not.toBeNull();
    expect(get('a')).toBe(watched);
    const call = get('c')?.call({ name: 'wait' });
    expect(await call?.next()).toMatchObject({ value: { kind: 'notification' } });
    const again = get('b');
    expect(again).not.toBeNull();
    expect(again).not.toBe(used);
    expect(get('c')?.calls).toBe(1);
    await call?.return();
    abort.abort();
    await listening?.then(
      () => undefined,
      () => undefined,
    );
  });

  it('ends all sessions when it closes, and creates no more upstreams', async () => {
    const { sessions, pool, get } = await pooled(5);
    for (const key of ['a', 'b']) await eventsOf(get(key)?.call(echo) ?? fail());
    await pool.close();
    expect(sessions.open()).toEqual([]);
    expect(get('a')).toBeNull();
  });

  it('drops one upstream', async () => {
    const { sessions, pool, get } = await pooled(5);
    await eventsOf(get('a')?.call(echo) ?? fail());
    await pool.drop('a');
    expect(sessions.open()).toEqual([]);
    expect(pool.size).toBe(0);
  });
});

function fail(): never {
  throw new Error('The pool has no room.');
}
