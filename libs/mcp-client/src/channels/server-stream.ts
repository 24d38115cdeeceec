import type { EventParser, ResponseMemory } from '@gw/outbound';
import { setTimeout as delay } from 'node:timers/promises';
import { CallClock } from '../http/call-clock';
import { eventParser } from '../http/event-parser';
import type { UpstreamHttpResponse } from '../http/upstream-http';
import type { UpstreamTimeouts } from '../limits';
import { readMessages, type UpstreamMessage } from '../rpc/messages';
import { assertSuccess } from '../rpc/response-fault';
import { closed, UpstreamError } from '../upstream-error';

/** A stream ends after an hour, and is opened again while it has users. */
const STREAM_MS = 3_600_000;
/**
 * Wait for the head of the stream before a call is sent, for servers that send none before an
 * event.
 */
const HEAD_WAIT_MS = 300;
const BACKOFF_MS_MIN = 500;
const BACKOFF_MS_MAX = 30_000;

export interface ServerStreamOptions {
  /** Sends the GET. */
  readonly open: (lastEventId: string | null, clock: CallClock) => Promise<UpstreamHttpResponse>;
  readonly onMessage: (message: UpstreamMessage) => void;
  /** The stream cannot be opened, and is not attempted again. `wasOpen`: it was open before. */
  readonly onRefused: (error: UpstreamError, wasOpen: boolean) => void;
  readonly timeouts: UpstreamTimeouts;
  /** Counts bytes that the stream holds; null: they are not counted. */
  readonly memory: ResponseMemory | null;
  /** Between 0 and 1; spreads reconnections. */
  readonly random?: () => number;
}

/**
 * The GET stream of a session, on which a server sends what belongs to no POST. Opened at the first
 * use, and again while it has users: after the wait that the stream sets, else, and after failures,
 * 0.5 to 30 s.
 */
export class ServerStream {
  private users = 0;
  private running: Promise<void> | null = null;
  private clock: CallClock | null = null;
  /** Why the stream is not attempted again; null while it may be. */
  refusal: UpstreamError | null = null;
  private wasOpen = false;
  private isStopped = false;
  private onHead: (() => void) | null = null;
  private readonly stopping = new AbortController();

  constructor(private readonly options: ServerStreamOptions) {}

  /** Opens the stream if needed. Resolves when it is open or refused, or after 0.3 s. */
  async use(): Promise<void> {
    this.users += 1;
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
      // What it holds of an incomplete event.
      parser.restart();
    }
  }

  /** Reads one connection to its end. Returns whether it brought a message. */
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
      this.judge(error);
    } finally {
      clock.end();
      this.onHead?.();
    }
    return hasMessage;
  }

  /**
   * A client's error and a broken protocol will not get better; lost connections and outages may.
   */
  private judge(error: unknown): void {
    const isPassing =
      error instanceof UpstreamError &&
      (error.status === null || error.status >= 500 || error.status === 429) &&
      error.kind !== 'protocol' &&
      error.kind !== 'closed' &&
      error.kind !== 'refused_address';
    if (isPassing || this.isStopped) return;
    this.refusal = error instanceof UpstreamError ? error : closed(true);
    this.options.onRefused(this.refusal, this.wasOpen);
  }

  private async backOff(parser: EventParser, failures: number): Promise<void> {
    const wait = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(failures, 10));
    const jitter = (this.options.random ?? Math.random)() * 0.25 * wait;
    // The stream's own wait counts as long as connections bring something.
    const ms = failures === 0 && parser.retryMs !== null ? parser.retryMs : wait + jitter;
    await delay(Math.max(ms, 10), undefined, {
      ...{ ref: false, signal: this.stopping.signal },
    }).catch(() => undefined);
  }
}
