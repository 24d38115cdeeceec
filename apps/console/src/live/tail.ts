import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { problemFrom, type Problem } from '../api';
import { RowBuffer, type LiveRow } from './row-buffer';

export type TailStatus =
  /** No stream is open yet. */
  | 'connecting'
  | 'live'
  /** The stream broke and will be reopened. */
  | 'waiting'
  /** The page was hidden for longer than `HIDDEN_MS`; the tail resumes when it is visible. */
  | 'paused'
  /** The server refused the stream permanently; see `problem`. */
  | 'refused';

export interface TailState<R> {
  readonly status: TailStatus;
  /** Newest first, at most `ROWS_MAX`. */
  readonly rows: readonly R[];
  /** Number of rows that the server skipped and no list call returned. */
  readonly skipped: number;
  /** False when more rows than `skipped` may be missing. */
  readonly isSkippedExact: boolean;
  /** Number of rows that newer ones displaced. */
  readonly dropped: number;
  readonly problem: Problem | null;
}

/** An open stream of server-sent events. */
export interface TailStream {
  readonly stream: ReadableStream<Uint8Array>;
  /** Time at which the stream was opened, by the server's clock, ISO 8601. */
  readonly openedAt: string;
}

/** Calls to the server that a tail makes. */
export interface TailSource<R> {
  /** Opens the stream. Rejects with a `Problem`. */
  open(signal: AbortSignal): Promise<TailStream>;
  /**
   * Lists the rows since a time, newest first, at most `ROWS_MAX`; `isWhole` is false when there
   * are more.
   */
  since(
    time: string,
    signal: AbortSignal,
  ): Promise<{ readonly rows: readonly R[]; readonly isWhole: boolean }>;
}

export const ROWS_MAX = 2_000;
export const EMIT_MS = 100;
export const HIDDEN_MS = 30_000;
const WAITS_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000];
/** Maximum delay with which a log may be stored after logs of later requests. */
const LATE_MS = 10_000;
/** A stream that ends sooner counts as failed, which prevents a busy loop of reopening. */
const SHORT_MS = 1_000;

/** Whether a retry is useless: any 4xx status except 408 and 429. */
const isFinal = ({ status }: Problem): boolean =>
  status >= 400 && status < 500 && status !== 429 && status !== 408;

/**
 * Follows new rows over server-sent events: reopens the stream when it breaks, and fills each gap
 * by a list call. Notifies its subscribers at most once for each `EMIT_MS`.
 */
export class Tail<R extends LiveRow> {
  private readonly buffer = new RowBuffer<R>(ROWS_MAX);
  private readonly subscribers = new Set<() => void>();
  private state: TailState<R> = {
    status: 'connecting',
    rows: [],
    skipped: 0,
    isSkippedExact: true,
    dropped: 0,
    problem: null,
  };
  /** The state that subscribers last received. */
  private shown = this.state;
  private running: AbortController | null = null;
  private emission: ReturnType<typeof setTimeout> | null = null;
  private hiding: ReturnType<typeof setTimeout> | null = null;
  /**
   * Server time at which this tail first opened, or the time of the newest row that `clear`
   * removed. List calls start `LATE_MS` before it.
   */
  private beginning: string | null = null;

  constructor(private readonly source: TailSource<R>) {}

  readonly subscribe = (subscriber: () => void): (() => void) => {
    this.subscribers.add(subscriber);
    return () => this.subscribers.delete(subscriber);
  };

  readonly getState = (): TailState<R> => this.shown;

  /** Opens the stream and keeps it open until `stop`. */
  start(): void {
    if (this.running) return;
    this.running = new AbortController();
    void this.run(this.running.signal);
  }

  /** Closes the stream and keeps the rows. */
  stop(): void {
    this.running?.abort();
    this.running = null;
    if (this.hiding) clearTimeout(this.hiding);
    this.hiding = null;
  }

  /** Sets whether the page is visible; the stream of a hidden page closes after `HIDDEN_MS`. */
  setVisible(isVisible: boolean): void {
    if (!isVisible) {
      if (this.running) this.hiding ??= setTimeout(() => this.pause(), HIDDEN_MS);
      return;
    }
    if (this.hiding) clearTimeout(this.hiding);
    this.hiding = null;
    if (this.state.status === 'paused') this.start();
  }

  /**
   * Removes the rows. Later list calls start at the newest of them, so that they do not reappear.
   */
  clear(): void {
    this.beginning = this.buffer.newest?.created_at ?? this.beginning;
    this.buffer.clear();
    this.change({ skipped: 0, isSkippedExact: true });
  }

  private pause(): void {
    this.stop();
    this.change({ status: 'paused' });
  }

  /**
   * Reopens the stream until `signal` aborts or the server refuses it permanently. A stream that the
   * server ended is reopened at once, one that broke after the shortest wait. Streams that ended
   * within `SHORT_MS`, or did not open, are counted in a row: from the second one on, the wait grows
   * with their number. A wait is never shorter than the server's `Retry-After`.
   */
  private async run(signal: AbortSignal): Promise<void> {
    let short = 0;
    while (!signal.aborted) {
      const { problem, isShort } = await this.attempt(signal);
      if (signal.aborted) return;
      if (problem !== null && isFinal(problem)) {
        this.running = null;
        this.change({ status: 'refused', problem });
        return;
      }
      short = isShort ? short + 1 : 0;
      if (problem === null && short <= 1) continue;
      this.change({ status: 'waiting', problem });
      const planned = WAITS_MS[Math.min(Math.max(0, short - 1), WAITS_MS.length - 1)] ?? 0;
      await pause(Math.max(planned, (problem?.retryAfterS ?? 0) * 1_000), signal);
    }
  }

  /**
   * Opens the stream and reads it to its end. `problem` is the error that broke it; null when the
   * server ended it. `isShort` is true when it was not open for `SHORT_MS`.
   */
  private async attempt(
    signal: AbortSignal,
  ): Promise<{ readonly problem: Problem | null; readonly isShort: boolean }> {
    let began = Infinity;
    let problem: Problem | null = null;
    try {
      const opened = await this.source.open(signal);
      began = Date.now();
      await this.follow(opened, signal);
    } catch (error) {
      problem = problemFrom(error);
    }
    return { problem, isShort: !(Date.now() - began >= SHORT_MS) };
  }

  /** Reads a stream to its end. Meanwhile lists the rows that were stored before it opened. */
  private async follow({ stream, openedAt }: TailStream, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return stream.cancel();
    this.change({ status: 'live', problem: null });
    const known = this.buffer.newest?.created_at ?? this.beginning;
    this.beginning ??= openedAt;
    if (known !== null) void this.fill(known, signal);
    const parser = createParser({ onEvent: (event) => this.take(event, signal) });
    const reader = stream.getReader();
    const decoder = new TextDecoder();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || signal.aborted) return;
        parser.feed(decoder.decode(value, { stream: true }));
      }
    } finally {
      // Also closes the stream after an event that cannot be read.
      reader.cancel().catch(() => undefined);
    }
  }

  private take({ event, data }: EventSourceMessage, signal: AbortSignal): void {
    if (event === 'log') {
      this.buffer.add([JSON.parse(data) as R]);
      this.change({});
    } else if (event === 'skipped') {
      const { count, exact } = JSON.parse(data) as { readonly count: number; readonly exact: boolean };
      const known = this.buffer.newest?.created_at ?? this.beginning;
      if (known !== null) void this.fill(known, signal, { count, exact });
    }
  }

  /**
   * Lists the rows since a time. `missing` is the number of rows that the server reported as
   * skipped.
   */
  private async fill(known: string, signal: AbortSignal, missing = { count: 0, exact: true }): Promise<void> {
    // The log of a request that began before the first stream may be stored after it, so no earlier
    // list call returned it.
    const since = Math.max(Date.parse(known), Date.parse(this.beginning ?? known));
    const time = new Date(since - LATE_MS).toISOString();
    try {
      const { rows, isWhole } = await this.source.since(time, signal);
      this.buffer.add(rows);
      if (isWhole) this.change({});
      else this.miss(Math.max(0, missing.count - rows.length), false);
    } catch {
      if (!signal.aborted) this.miss(missing.count, missing.exact && missing.count > 0);
    }
  }

  private miss(count: number, isExact: boolean): void {
    const { skipped, isSkippedExact } = this.state;
    this.change({ skipped: skipped + count, isSkippedExact: isSkippedExact && isExact });
  }

  private change(change: Partial<TailState<R>>): void {
    this.state = { ...this.state, ...change };
    this.emission ??= setTimeout(() => {
      this.emission = null;
      this.shown = { ...this.state, rows: this.buffer.all, dropped: this.buffer.dropped };
      for (const subscriber of this.subscribers) subscriber();
    }, EMIT_MS);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
