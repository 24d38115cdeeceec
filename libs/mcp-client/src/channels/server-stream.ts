import type { EventParser, ResponseMemory } from '@gw/outbound';
import { setTimeout as delay } from 'node:timers/promises';
import { CallClock } from '../http/call-clock';
import { eventParser } from '../http/event-parser';
import type { UpstreamHttpResponse } from '../http/upstream-http';
import type { UpstreamTimeouts } from '../limits';
import { readMessages, type UpstreamMessage } from '../rpc/messages';
import { assertSuccess } from '../rpc/response-fault';
import { closed, UpstreamError } from '../upstream-error';

/** Maximum duration of a stream; it is opened again while it has users. */
const STREAM_MS = 3_600_000;
/**
 * How long a call waits for the head of the stream, in milliseconds; some servers send the head
 * only with the first event.
 */
const HEAD_WAIT_MS = 300;
const BACKOFF_MS_MIN = 500;
const BACKOFF_MS_MAX = 30_000;

export interface ServerStreamOptions {
  /** Sends the GET. */
  readonly open: (lastEventId: string | null, clock: CallClock) => Promise<UpstreamHttpResponse>;
  readonly onMessage: (message: UpstreamMessage) => void;
  /**
   * Called when the stream cannot be opened and will not be retried. `wasOpen` tells whether it was
   * open before.
   */
  readonly onRefused: (error: UpstreamError, wasOpen: boolean) => void;
  readonly timeouts: UpstreamTimeouts;
  /** Counts the bytes that the stream holds; null to count none. */
  readonly memory: ResponseMemory | null;
  /** Returns a number between 0 and 1 that spreads reconnections. */
  readonly random?: () => number;
}

/**
 * The GET stream of a session, on which a server sends messages that belong to no POST. It is
 * opened at the first use, and again while it has users, after the `retry` time of the stream, or
 * after 0.5 to 30 s without one and after failures.
 */
export class ServerStream {
  private users = 0;
  private running: Promise<void> | null = null;
  private clock: CallClock | null = null;
  /** Why the stream is not opened again, after status 401 until its next user; null while it may be. */
  refusal: UpstreamError | null = null;
  private wasOpen = false;
  private isStopped = false;
  private onHead: (() => void) | null = null;
  private readonly stopping = new AbortController();

  constructor(private readonly options: ServerStreamOptions) {}

  /** Opens the stream if needed. Resolves when it is open or refused, or after 0.3 s. */
  async use(): Promise<void> {
    this.users += 1;
    // The credential may have been renewed.
    if (this.running === null && this.refusal?.status === 401) this.refusal = null;
    if (this.running !== null || this.refusal !== null || this.isStopped) return;
    const head = new Promise<void>((resolve) => (this.onHead = resolve));
    this.running = this.run().finally(() => (this.running = null));
    const waited = new AbortController();
    await Promise.race([
      head,
      delay(HEAD_WAIT_MS, undefined, { signal: waited.signal }).catch(() => undefined),
    ]);
    waited.abort();
  }

  release(): void {
    this.users -= 1;
  }

  stop(): void {
    this.isStopped = true;
    this.stopping.abort();
    this.clock?.abort(closed(true));
  }

  private async run(): Promise<void> {
    const parser = eventParser(this.options.memory);
    try {
      for (let failures = 0; !this.isStopped;) {
        failures = (await this.readOnce(parser)) ? 0 : failures + 1;
        if (this.users === 0 || this.refusal !== null) return;
        await this.backOff(parser, failures);
      }
    } finally {
      // Frees the bytes of an incomplete event.
      parser.restart();
    }
  }

  /** Reads one connection to its end. Returns whether it delivered a message. */
  private async readOnce(parser: EventParser): Promise<boolean> {
    const { timeouts, memory } = this.options;
    const clock = new CallClock({ totalMs: STREAM_MS, idleMs: timeouts.streamIdleMs }, null, memory);
    this.clock = clock;
    let hasMessage = false;
    try {
      parser.restart();
      const response = await this.options.open(parser.lastEventId, clock);
      await assertSuccess(response);
      this.wasOpen = true;
      this.onHead?.();
      await readMessages(response, parser, (message) => {
        hasMessage = true;
        this.options.onMessage(message);
        return false;
      });
    } catch (error) {
      this.stopIfPermanent(error);
    } finally {
      clock.end();
      this.onHead?.();
    }
    return hasMessage;
  }

  /**
   * Stops retrying after 4xx statuses and protocol errors; lost connections and outages may be
   * temporary.
   */
  private stopIfPermanent(error: unknown): void {
    const isTemporary =
      error instanceof UpstreamError &&
      (error.status === null || error.status >= 500 || error.status === 429) &&
      error.kind !== 'protocol' &&
      error.kind !== 'closed' &&
      error.kind !== 'refused_address';
    if (isTemporary || this.isStopped) return;
    this.refusal = error instanceof UpstreamError ? error : closed(true);
    this.options.onRefused(this.refusal, this.wasOpen);
  }

  private async backOff(parser: EventParser, failures: number): Promise<void> {
    const wait = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(failures, 10));
    const jitter = (this.options.random ?? Math.random)() * 0.25 * wait;
    // The `retry` time of the stream applies while connections deliver messages.
    const ms = failures === 0 && parser.retryMs !== null ? parser.retryMs : wait + jitter;
    await delay(Math.max(ms, 10), undefined, {
      ...{ ref: false, signal: this.stopping.signal },
    }).catch(() => undefined);
  }
}
