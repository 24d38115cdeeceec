import { keyringOf } from '@gw/kernel';
import { LocalBus } from '../replicas/replica-bus';
import { ReplicaLink } from '../replicas/replica-link';
import { MemorySessionStore } from './memory-session-store';
import { SessionStates, SESSION_STATES_MAX } from './session-states';
import type { SessionName, SessionStore, StoredSession } from './session-store';

const NAME: SessionName = { principal: 'p1', session: 'aa' };
const URI = 'test://a';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A store whose reads and writes wait, as those of Redis do, until the test continues them. */
class SlowStore extends MemorySessionStore {
  private readonly waiting: (() => void)[] = [];
  isSlow = false;

  private async paused<T>(work: () => Promise<T>): Promise<T> {
    if (this.isSlow) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return work();
  }

  /** The store reads at once, and its response arrives late. */
  override async load(name: SessionName): Promise<StoredSession> {
    const stored = await super.load(name);
    return this.paused(() => Promise.resolve(stored));
  }
  override unsubscribe(name: SessionName, uri: string): Promise<void> {
    return this.paused(() => super.unsubscribe(name, uri));
  }
  override subscribe(name: SessionName, uri: string): Promise<boolean> {
    return this.paused(() => super.subscribe(name, uri));
  }
  override setLogLevel(name: SessionName, level: string): Promise<void> {
    return this.paused(() => super.setLogLevel(name, level));
  }
  override setSeenLists(name: SessionName, digest: string): Promise<void> {
    return this.paused(() => super.setSeenLists(name, digest));
  }
  override end(name: SessionName): Promise<void> {
    return this.paused(() => super.end(name));
  }

  /** Continues the oldest waiting call, and the code that waits for it. */
  async next(): Promise<void> {
    this.waiting.shift()?.();
    await turn();
  }
  /** Continues all calls in order. */
  async all(): Promise<void> {
    this.isSlow = false;
    while (this.waiting.length > 0) await this.next();
  }
}

describe('states of sessions', () => {
  let store: SlowStore;
  let states: SessionStates;

  const create = (own: SessionStore): SessionStates =>
    new SessionStates(own, new ReplicaLink(new LocalBus(), keyringOf('spec', Buffer.alloc(32, 1))));
  beforeEach(() => {
    store = new SlowStore();
    states = create(store);
  });

  /**
   * A read that began before a change, and whose response arrives while the change is being
   * written.
   */
  const readDuring = async (change: () => Promise<unknown>): Promise<void> => {
    const state = await states.of(NAME);
    store.isSlow = true;
    state.markStale();
    const reading = states.of(NAME);
    await turn();
    const changed = change();
    await store.next();
    await store.all();
    await Promise.all([reading, changed]);
  };

  it('stay ended when a read that began before the end arrives during it', async () => {
    const state = await states.of(NAME);
    await readDuring(() => state.end(Date.now() + 60_000));
    expect(state.isEnded).toBe(true);
    expect((await states.of(NAME)).isEnded).toBe(true);
  });

  it('keep a subscription cancelled, or made, when an earlier read arrives during the change', async () => {
    const state = await states.of(NAME);
    await state.subscribe(URI);
    await readDuring(() => state.unsubscribe(URI));
    expect([...(await states.of(NAME)).subscriptions]).toEqual([]);
    await readDuring(() => state.subscribe(URI));
    expect([...(await states.of(NAME)).subscriptions]).toEqual([URI]);
  });

  it('keep the level and the lists when an earlier read arrives during the change', async () => {
    const state = await states.of(NAME);
    await readDuring(() => state.setLogLevel('debug'));
    await readDuring(async () => {
      state.storeSeenLists('digest');
      await Promise.resolve();
    });
    const { logLevel, seenLists } = await states.of(NAME);
    expect([logLevel, seenLists]).toEqual(['debug', 'digest']);
  });

  it('add no subscription that is stored only after the session ended', async () => {
    const state = await states.of(NAME);
    store.isSlow = true;
    const subscribed = state.subscribe(URI);
    const ended = state.end(Date.now() + 60_000);
    await store.all();
    await ended;
    expect(await subscribed).toBe(false);
    expect([state.isEnded, state.subscriptions.size]).toEqual([true, 0]);
  });

  it('stay the same object while a stream of their session is open, however many other sessions there are', async () => {
    const watched = await states.of(NAME);
    let changes = 0;
    watched.onChange = () => (changes += 1);
    const other = (at: number): SessionName => ({ principal: 'p2', session: `other-${String(at)}` });
    for (let at = 0; at <= SESSION_STATES_MAX; at += 1) await states.of(other(at));
    expect(await states.of(NAME)).toBe(watched);
    await (await states.of(NAME)).subscribe(URI);
    expect(changes).toBe(1);
    watched.onChange = null;
    expect(await states.of(NAME)).toBe(watched);
    for (let at = 0; at <= SESSION_STATES_MAX; at += 1) await states.of(other(at));
    expect(await states.of(NAME)).not.toBe(watched);
  });
});
