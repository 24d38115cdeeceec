/** @jest-environment node */
import { getEventListeners } from 'node:events';
import { Problem } from '../api';
import type { LiveRow } from './row-buffer';
import { sharedSource, type TabParts } from './shared-source';
import { Tail, type TailSource } from './tail';

const START = Date.parse('2026-11-23T14:00:00.000Z');
/** A row that is stored after each tab has opened, by the server's clock. */
const row = (number: number): LiveRow => ({
  id: `log-${String(number).padStart(6, '0')}`,
  created_at: new Date(START + 60_000 + number).toISOString(),
});

/** Web Locks of one browser with a single lock: one holder, the others wait in order. */
class Locks {
  private readonly waiting: (() => void)[] = [];
  private isHeld = false;

  readonly request = (async (
    _name: string,
    { ifAvailable = false, signal }: LockOptions,
    act: (lock: Lock | null) => unknown,
  ) => {
    if (this.isHeld && ifAvailable) return act(null);
    if (this.isHeld)
      await new Promise<void>((resolve, reject) => {
        this.waiting.push(resolve);
        signal?.addEventListener('abort', () => {
          this.waiting.splice(0, this.waiting.length, ...this.waiting.filter((each) => each !== resolve));
          reject(new Error('aborted'));
        });
      });
    this.isHeld = true;
    try {
      return await act({ name: '', mode: 'exclusive' });
    } finally {
      this.isHeld = false;
      this.waiting.shift()?.();
    }
  }) as LockManager['request'];
}

/**
 * Server that counts its streams, and sends each event in two pieces that split it in the middle.
 */
class Server implements TailSource<LiveRow> {
  readonly stored: LiveRow[] = [];
  readonly live = new Set<ReadableStreamDefaultController<Uint8Array>>();
  opened = 0;
  mostAtOnce = 0;
  refusal: Problem | null = null;
  /** Promise for which opening a stream waits. */
  gate: Promise<void> = Promise.resolve();

  async open(signal: AbortSignal) {
    this.opened += 1;
    await this.gate;
    signal.throwIfAborted();
    if (this.refusal !== null) throw this.refusal;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.live.add(controller);
        this.mostAtOnce = Math.max(this.mostAtOnce, this.live.size);
        signal.addEventListener('abort', () => {
          if (this.live.delete(controller)) controller.error(new Error('aborted'));
        });
      },
    });
    return { stream, openedAt: new Date(START).toISOString() };
  }

  since(time: string) {
    return Promise.resolve({ rows: this.stored.filter((each) => each.created_at >= time), isWhole: true });
  }

  store(number: number): void {
    this.stored.push(row(number));
    const bytes = new TextEncoder().encode(`event: log\ndata: ${JSON.stringify(row(number))}\n\n`);
    for (const controller of this.live)
      for (const piece of [bytes.slice(0, 20), bytes.slice(20)]) controller.enqueue(piece);
  }

  cut(): void {
    for (const controller of this.live) controller.close();
    this.live.clear();
  }
}

describe('sharedSource', () => {
  it('leaves no listeners at the signal of a tail that opens many streams', async () => {
    const source: TailSource<LiveRow> = {
      open: () =>
        Promise.resolve({
          stream: new ReadableStream({ start: (stream) => stream.close() }),
          openedAt: row(0).created_at,
        }),
      since: () => Promise.resolve({ rows: [], isWhole: true }),
    };
    const parts = { locks: new Locks(), channel: (name: string) => new BroadcastChannel(name) };
    const { signal } = new AbortController();
    for (let times = 0; times < 3; times += 1) {
      const { stream } = await sharedSource(source, 'many streams', parts).open(signal);
      expect(await new Response(stream).text()).toBe('');
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  const tails: Tail<LiveRow>[] = [];
  let browsers = 0;
  afterEach(() => {
    for (const tail of tails.splice(0)) tail.stop();
  });

  function browser() {
    const server = new Server();
    browsers += 1;
    const name = `tail ${String(browsers)}`;
    const parts: TabParts = { locks: new Locks(), channel: (channel) => new BroadcastChannel(channel) };
    const tab = (): Tail<LiveRow> => {
      const tail = new Tail(sharedSource(server, name, parts));
      tails.push(tail);
      tail.start();
      return tail;
    };
    return { server, tab };
  }
  const until = (tail: Tail<LiveRow>, isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const end = tail.subscribe(() => {
        if (!isSo()) return;
        end();
        resolve();
      });
      if (isSo()) resolve();
    });
  const isLive = (tail: Tail<LiveRow>): Promise<void> => until(tail, () => tail.getState().status === 'live');
  const has = (tail: Tail<LiveRow>, ...numbers: number[]): Promise<void> =>
    until(tail, () => {
      const ids = tail.getState().rows.map(({ id }) => id);
      return numbers.every((number) => ids.includes(row(number).id)) && ids.length === numbers.length;
    });

  it('opens one stream, and each tab receives every row', async () => {
    const { server, tab } = browser();
    const all = [tab(), tab(), tab()];
    await Promise.all(all.map(isLive));
    for (let number = 0; number < 50; number += 1) server.store(number);
    const numbers = Array.from({ length: 50 }, (_, number) => number);
    await Promise.all(all.map((tail) => has(tail, ...numbers)));
    expect([server.opened, server.mostAtOnce]).toEqual([1, 1]);
  });

  it('opens the stream in another tab when the leading tab stops, and misses no row in between', async () => {
    const { server, tab } = browser();
    const first = tab();
    await isLive(first);
    const second = tab();
    await isLive(second);
    server.store(1);
    await Promise.all([has(first, 1), has(second, 1)]);
    first.stop();
    server.store(2);
    await has(second, 1, 2);
    await until(second, () => server.live.size === 1);
    server.store(3);
    await has(second, 1, 2, 3);
    expect(server.mostAtOnce).toBe(1);
  });

  it.each(Array.from({ length: 24 }, (_, moment) => moment))(
    'misses no row in another tab when the leading tab stops at moment %i of opening, taking over and reading',
    async (moment) => {
      const { server, tab } = browser();
      const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
      const first = tab();
      let second: Tail<LiveRow> | null = null;
      for (let now = 0; now < 24; now += 1) {
        if (now === 4) second = tab();
        if (now === moment) first.stop();
        if (second !== null) server.store(now);
        await turn();
      }
      const after = second ?? tab();
      await isLive(after);
      server.store(100);
      // Rows from before the tail opened are in the list of the page.
      await until(after, () => after.getState().rows.some(({ id }) => id === row(100).id));
      const ids = after.getState().rows.map(({ id }) => id);
      const begin = Number(ids.at(-1)?.slice(4));
      const all = server.stored.map(({ id }) => id).filter((id) => Number(id.slice(4)) >= begin);
      expect(new Set(ids)).toEqual(new Set(all));
      expect(ids.length).toBe(all.length);
      expect(server.mostAtOnce).toBe(1);
    },
  );

  it('reopens one stream for all tabs when the server ends it', async () => {
    const { server, tab } = browser();
    const all = [tab(), tab()];
    await Promise.all(all.map(isLive));
    server.store(1);
    await Promise.all(all.map((tail) => has(tail, 1)));
    server.cut();
    server.store(2);
    await Promise.all(all.map((tail) => has(tail, 1, 2)));
    expect(server.mostAtOnce).toBe(1);
  });

  it('lets a tab wait for the stream that another tab is opening', async () => {
    const { server, tab } = browser();
    let open: () => void = () => undefined;
    server.gate = new Promise((resolve) => {
      open = resolve;
    });
    const all = [tab(), tab()];
    open();
    await Promise.all(all.map(isLive));
    server.store(1);
    await Promise.all(all.map((tail) => has(tail, 1)));
    expect(server.opened).toBe(1);
  });

  it('rejects when the signal of a tab aborts while it requests the lock', async () => {
    const { server, tab } = browser();
    await isLive(tab());
    const parts: TabParts = {
      locks: {
        request: ((_name: string, _options: LockOptions, act: (lock: Lock | null) => unknown) =>
          Promise.resolve().then(() => act(null))) as LockManager['request'],
      },
      channel: (name) => new BroadcastChannel(name),
    };
    const ending = new AbortController();
    const opening = sharedSource(server, 'aborted', parts).open(ending.signal);
    ending.abort(new Error('paused'));
    await expect(opening).rejects.toThrow('paused');
  });

  it('reports the refusal of the stream in each tab', async () => {
    const { server, tab } = browser();
    server.refusal = new Problem({ type: 'scope_missing', message: 'No.', status: 403 });
    const all = [tab(), tab()];
    await Promise.all(all.map((tail) => until(tail, () => tail.getState().status === 'refused')));
    expect(server.live.size).toBe(0);
  });

  it('returns the source unchanged when the browser has no locks', () => {
    const server = new Server();
    expect(sharedSource(server, 'x', null)).toBe(server);
  });
});
