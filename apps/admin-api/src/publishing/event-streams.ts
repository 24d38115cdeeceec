import type { ServerResponse } from 'node:http';
import { HEARTBEAT_MS, type ControlPlaneEvent } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Outbox } from './outbox';
import { OutboxTail } from './outbox-tail';

const STREAMS_MAX = 1_000;
const PAGE = 200;
/** A reader that lets more than this pile up is cut off: it comes back and asks for what it missed. */
const PENDING_BYTES_MAX = 4 * 1024 * 1024;
const DRAIN_TIMEOUT_MS = 10_000;

/** One gateway's connection: the events after what it has seen, then each new one. */
class EventStream {
  /** The newest sequence that was sent; null until the replay has begun. */
  cursor: number | null = null;
  /** From then on the tail's events are sent as they come. */
  live = false;

  constructor(private readonly res: ServerResponse) {}

  get isOpen(): boolean {
    return !this.res.destroyed && !this.res.writableEnded;
  }

  send(event: ControlPlaneEvent): void {
    if (!this.isOpen) return;
    this.res.write(`${JSON.stringify(event)}\n`);
    if (event.type !== 'heartbeat') this.cursor = event.sequence;
    if (this.res.writableLength > PENDING_BYTES_MAX) this.res.destroy();
  }

  heartbeat(): void {
    if (this.cursor !== null) this.send({ type: 'heartbeat', sequence: this.cursor });
  }

  /** Waits until the reader has taken what was sent; one that does not is cut off. */
  async drained(): Promise<void> {
    if (!this.res.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.res.destroy(), DRAIN_TIMEOUT_MS);
      const done = (): void => {
        clearTimeout(timer);
        this.res.off('drain', done).off('close', done);
        resolve();
      };
      this.res.once('drain', done).once('close', done);
    });
  }

  end(): void {
    this.res.end();
  }
}

/** Fans the outbox out to the gateways that are connected to this process. */
@Injectable()
export class EventStreams implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly streams = new Set<EventStream>();
  private timer: NodeJS.Timeout | null = null;
  private unfollow: (() => void) | null = null;
  private isClosing = false;

  constructor(
    private readonly outbox: Outbox,
    private readonly tail: OutboxTail,
  ) {}

  onApplicationBootstrap(): void {
    this.unfollow = this.tail.follow((events) => {
      for (const stream of this.streams) {
        if (!stream.live) continue;
        for (const event of events) {
          const cursor = stream.cursor ?? 0;
          if (event.sequence > cursor) stream.send({ ...event, previous: cursor });
        }
      }
    });
    this.timer = setInterval(() => {
      // While the outbox cannot be read no follower gets a heartbeat.
      if (!this.tail.isCurrent) return;
      for (const stream of this.streams) if (stream.live) stream.heartbeat();
    }, HEARTBEAT_MS);
  }

  /** Before the server closes, which waits for every connection. */
  beforeApplicationShutdown(): void {
    this.isClosing = true;
    this.unfollow?.();
    if (this.timer) clearInterval(this.timer);
    for (const stream of this.streams) stream.end();
  }

  /**
   * Sends the events after `after`, or `reset` when they are not kept; then a heartbeat, and each
   * event as it is committed. Null starts with the present. `takeOver` gives the response, which from then on is ours: it is
   * called when nothing can fail any more.
   */
  async open(after: number | null, takeOver: () => ServerResponse): Promise<void> {
    if (this.isClosing || this.streams.size >= STREAMS_MAX) {
      throw new GatewayError('unavailable', { message: 'No more event streams can be opened here.' });
    }
    const newest = await this.outbox.newest();
    const start = after === null || after === newest || (await this.outbox.reaches(after)) ? after : null;
    const res = takeOver();
    const stream = new EventStream(res);
    this.streams.add(stream);
    res.once('close', () => this.streams.delete(stream));
    res.on('error', () => undefined);
    res.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    res.flushHeaders();
    if (after !== null && start === null) stream.send({ type: 'reset', sequence: newest });
    stream.cursor = start ?? newest;
    try {
      await this.replay(stream);
    } catch {
      // The reader comes back.
      res.destroy();
    }
  }

  private async replay(stream: EventStream): Promise<void> {
    while (stream.isOpen) {
      const events = await this.outbox.after(stream.cursor ?? 0, PAGE);
      for (const event of events) stream.send(event);
      await stream.drained();
      // The tail may have moved past the page while it was read or sent; it must not before the stream is live.
      if (events.length < PAGE && (this.tail.sequence ?? 0) <= (stream.cursor ?? 0)) break;
    }
    stream.live = true;
    stream.heartbeat();
  }
}
