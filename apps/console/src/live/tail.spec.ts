/** @jest-environment node */
import { Problem } from '../api';
import type { LiveRow } from './row-buffer';
import { EMIT_MS, HIDDEN_MS, ROWS_MAX, Tail, type TailSource } from './tail';

const START = Date.parse('2026-11-23T14:00:00.000Z');
const row = (number: number): LiveRow => ({
  id: `log-${String(number).padStart(6, '0')}`,
  created_at: new Date(START + number).toISOString(),
});

/** Server with rows, whose open streams send each stored row. */
class Server implements TailSource<LiveRow> {
  readonly stored: LiveRow[] = [];
  readonly opened: ReadableStreamDefaultController<Uint8Array>[] = [];
  readonly listed: string[] = [];
  refusal: Problem | null = null;
  most = ROWS_MAX;
  private readonly live = new Set<ReadableStreamDefaultController<Uint8Array>>();

  open(signal: AbortSignal) {
    if (this.refusal) return Promise.reject(this.refusal);
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.opened.push(controller);
        this.live.add(controller);
        signal.addEventListener('abort', () => this.cut(controller));
      },
      cancel: () => this.live.clear(),
    });
    return Promise.resolve({ stream, openedAt: new Date(START).toISOString() });
  }

  since(time: string) {
    this.listed.push(time);
    const all = this.stored.filter(({ created_at: at }) => at >= time).reverse();
    return Promise.resolve({ rows: all.slice(0, this.most), isWhole: all.length <= this.most });
  }

  store(item: LiveRow, isSent = true): void {
    this.stored.push(item);
    if (isSent) this.send('log', item, item.id);
  }

  send(event: string, data: unknown, id = ''): void {
    const text = `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const controller of this.live) controller.enqueue(new TextEncoder().encode(text));
  }

  cut(controller = this.opened.at(-1)): void {
    if (!controller || !this.live.delete(controller)) return;
    controller.error(new TypeError('network'));
  }

  get openStreams(): number {
    return this.live.size;
  }
}

function tailOf(server: Server) {
  const tail = new Tail<LiveRow>(server);
  let renders = 0;
  tail.subscribe(() => (renders += 1));
  const numbers = () => tail.getState().rows.map(({ id }) => Number(id.slice(4)));
  return { tail, numbers, renders: () => renders };
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

describe('Tail', () => {
  beforeEach(() => jest.useFakeTimers({ now: START }));
  afterEach(() => jest.useRealTimers());

  it('shows rows newest first as they are stored, with at most ten updates a second', async () => {
    const server = new Server();
    const { tail, numbers, renders } = tailOf(server);
    tail.start();
    await pass(EMIT_MS);
    const before = renders();
    for (let number = 1; number <= 1_000; number += 1) {
      server.store(row(number));
      await pass(1);
    }
    expect(renders() - before).toBeLessThanOrEqual(11);
    await pass(EMIT_MS);
    expect(numbers()).toEqual(Array.from({ length: 1_000 }, (_, index) => 1_000 - index));
    expect(tail.getState().status).toBe('live');
    tail.stop();
    expect(server.openStreams).toBe(0);
  });

  it('lists the rows that were stored while the stream was cut, without gaps or duplicates', async () => {
    const server = new Server();
    const { tail, numbers } = tailOf(server);
    tail.start();
    await pass(2_000);
    for (let number = 1; number <= 600; number += 1) {
      if (number === 201) server.cut();
      server.store(row(number * 10));
      await pass(10);
    }
    await pass(5_000);
    expect(numbers()).toEqual(Array.from({ length: 600 }, (_, index) => (600 - index) * 10));
    expect(tail.getState()).toMatchObject({ status: 'live', skipped: 0 });
    expect(server.opened.length).toBe(2);
    tail.stop();
  });

  it('closes a stream with an event that cannot be read, and opens another one', async () => {
    const server = new Server();
    const { tail, numbers } = tailOf(server);
    tail.start();
    await pass(EMIT_MS);
    server.opened.at(-1)?.enqueue(new TextEncoder().encode('event: log\ndata: {\n\n'));
    await pass(EMIT_MS);
    expect([server.openStreams, tail.getState().status]).toEqual([0, 'waiting']);
    await pass(2_000);
    server.store(row(1));
    await pass(EMIT_MS);
    expect(numbers()).toEqual([1]);
    tail.stop();
  });

  it('lists a log that was stored while the stream was cut and whose request began before the first stream', async () => {
    const server = new Server();
    const { tail } = tailOf(server);
    tail.start();
    await pass(2_000);
    server.cut();
    server.store({ id: 'log-long', created_at: new Date(START - 3_000).toISOString() }, false);
    await pass(5_000);
    expect(tail.getState().rows.map(({ id }) => id)).toEqual(['log-long']);
    tail.stop();
  });

  it('fills rows that the server skipped by a list call, and counts those that it does not return', async () => {
    const server = new Server();
    const { tail, numbers } = tailOf(server);
    tail.start();
    await pass(EMIT_MS);
    for (let number = 1; number <= 3; number += 1) server.store(row(number), false);
    server.send('skipped', { count: 2, exact: true });
    server.send('log', row(3));
    await pass(EMIT_MS);
    expect([numbers(), tail.getState().skipped]).toEqual([[3, 2, 1], 0]);
    server.most = 5;
    for (let number = 10; number <= 30; number += 1) server.store(row(number), false);
    server.send('skipped', { count: 20, exact: true });
    await pass(EMIT_MS);
    expect(tail.getState()).toMatchObject({ skipped: 15, isSkippedExact: false });
    tail.stop();
  });

  it('keeps only the newest rows and counts the dropped ones', async () => {
    const server = new Server();
    const { tail, numbers } = tailOf(server);
    tail.start();
    await pass(EMIT_MS);
    for (let number = 1; number <= ROWS_MAX + 50; number += 1) server.store(row(number));
    await pass(EMIT_MS);
    expect(numbers().slice(0, 1)).toEqual([ROWS_MAX + 50]);
    expect([tail.getState().rows.length, tail.getState().dropped]).toEqual([ROWS_MAX, 50]);
    tail.stop();
  });

  it('closes the stream of a page that is hidden for long, and catches up when it is visible again', async () => {
    const server = new Server();
    const { tail, numbers } = tailOf(server);
    tail.start();
    await pass(EMIT_MS);
    tail.setVisible(false);
    await pass(HIDDEN_MS - 1_000);
    expect(server.openStreams).toBe(1);
    await pass(1_000 + EMIT_MS);
    expect([server.openStreams, tail.getState().status]).toEqual([0, 'paused']);
    server.store(row(5), false);
    tail.setVisible(true);
    await pass(EMIT_MS);
    expect([server.openStreams, numbers()]).toEqual([1, [5]]);
    tail.setVisible(false);
    tail.setVisible(true);
    await pass(HIDDEN_MS);
    expect(server.openStreams).toBe(1);
    tail.stop();
  });

  it('does not show cleared rows again after a reconnection or a gap', async () => {
    const server = new Server();
    const { tail, numbers } = tailOf(server);
    tail.start();
    await pass(EMIT_MS);
    for (let number = 1; number <= 3; number += 1) server.store(row(number));
    await pass(EMIT_MS);
    tail.clear();
    server.cut();
    await pass(2_000);
    expect([tail.getState().status, numbers()]).toEqual(['live', []]);
    server.store(row(4));
    server.send('skipped', { count: 1, exact: true });
    await pass(EMIT_MS);
    expect(numbers()).toEqual([4]);
    tail.stop();
  });

  it('stays paused when the stream opens only after the pause, and starts again when visible', async () => {
    const server = new Server();
    const { tail } = tailOf(server);
    let open: () => void = () => undefined;
    const canceled: unknown[] = [];
    const stream = new ReadableStream<Uint8Array>({ cancel: (reason) => void canceled.push(reason) });
    const opened = jest.spyOn(server, 'open').mockReturnValueOnce(
      new Promise((resolve) => {
        open = () => resolve({ stream, openedAt: new Date(START).toISOString() });
      }),
    );
    tail.start();
    tail.setVisible(false);
    await pass(HIDDEN_MS);
    open();
    await pass(EMIT_MS);
    expect([tail.getState().status, canceled.length]).toEqual(['paused', 1]);
    tail.setVisible(true);
    await pass(EMIT_MS);
    expect([tail.getState().status, opened.mock.calls.length]).toEqual(['live', 2]);
    tail.stop();
  });

  it('leaves no listener on its signal after a wait', async () => {
    const added = jest.spyOn(AbortSignal.prototype, 'addEventListener');
    const removed = jest.spyOn(AbortSignal.prototype, 'removeEventListener');
    const server = new Server();
    server.refusal = new Problem({ type: 'overloaded', message: 'Busy.', status: 503 });
    const { tail } = tailOf(server);
    tail.start();
    await pass(120_000);
    expect(added.mock.calls.length).toBeGreaterThan(4);
    expect(added.mock.calls.length - removed.mock.calls.length).toBe(1);
    tail.stop();
    jest.restoreAllMocks();
  });

  it('waits for `Retry-After` when the server fails, and gives up on a refusal', async () => {
    const server = new Server();
    server.refusal = new Problem({ type: 'overloaded', message: 'Busy.', status: 503, retryAfterS: 10 });
    const { tail } = tailOf(server);
    tail.start();
    await pass(9_000);
    expect(tail.getState()).toMatchObject({ status: 'waiting', problem: { status: 503 } });
    server.refusal = null;
    await pass(2_000);
    expect(tail.getState()).toMatchObject({ status: 'live', problem: null });
    server.refusal = new Problem({ type: 'scope_missing', message: 'No.', status: 403 });
    server.cut();
    await pass(3_000);
    expect(tail.getState()).toMatchObject({ status: 'refused', problem: { type: 'scope_missing' } });
    await pass(120_000);
    expect(server.opened.length).toBe(1);
  });

  it('waits longer each time that the stream does not open, also when the server takes long to refuse', async () => {
    const server = new Server();
    const { tail } = tailOf(server);
    const busy = new Problem({ type: 'overloaded', message: 'Busy.', status: 503 });
    const opened = jest
      .spyOn(server, 'open')
      .mockImplementation(() => new Promise((_, reject) => setTimeout(() => reject(busy), 5_000)));
    tail.start();
    await pass(60_000);
    // Opened after waits of 1, 2, 4, 8 and 16 seconds, each after 5 seconds of opening.
    expect(opened.mock.calls.length).toBe(6);
    tail.stop();
  });

  it('reopens a stream at once when it is the first that the server ends early', async () => {
    const server = new Server();
    const { tail } = tailOf(server);
    let lasts = 2_000;
    const opened = jest.spyOn(server, 'open').mockImplementation(() => {
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => void setTimeout(() => controller.close(), lasts),
      });
      lasts = opened.mock.calls.length === 1 ? 10 : 60_000;
      return Promise.resolve({ stream, openedAt: new Date(START).toISOString() });
    });
    tail.start();
    await pass(2_100);
    expect(opened.mock.calls.length).toBe(3);
    tail.stop();
  });

  it('does not reopen streams in a busy loop when the server ends each immediately', async () => {
    const server = new Server();
    const { tail } = tailOf(server);
    const opened = jest.spyOn(server, 'open').mockImplementation(() => {
      const stream = new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
      return Promise.resolve({ stream, openedAt: new Date(START).toISOString() });
    });
    tail.start();
    await pass(10_000);
    expect(opened.mock.calls.length).toBeLessThanOrEqual(6);
    tail.stop();
  });
});
