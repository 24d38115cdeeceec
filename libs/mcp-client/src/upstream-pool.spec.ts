import { closedAfterEach, eventsOf, until } from './spec-support/fixture';
import { sdkServer, streamableSdk } from './spec-support/sdk-servers';
import { UpstreamPool } from './upstream-pool';

const { serve, upstream } = closedAfterEach();
const echo = { name: 'echo', arguments: { text: 'hi' } };

async function pooled(upstreamsMax: number) {
  const sessions = streamableSdk(sdkServer);
  const server = await serve(sessions.answer);
  const pool = new UpstreamPool(upstreamsMax);
  const get = (key: string) => pool.get(key, () => upstream(server.url));
  return { sessions, pool, get };
}

describe('UpstreamPool', () => {
  it('ends the session of the least recently used upstream', async () => {
    const { sessions, pool, get } = await pooled(2);
    for (const key of ['a', 'b']) await eventsOf(get(key)?.call(echo) ?? fail());
    const [first, second] = sessions.open();
    expect(get('a')).toBe(get('a'));
    get('c');
    await until(() => sessions.open().length === 1);
    expect(sessions.open()).toEqual([first]);
    expect(second).toBeDefined();
    expect(pool.size).toBe(2);
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
    const { get } = await pooled(2);
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
