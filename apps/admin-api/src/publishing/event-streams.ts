import type { ServerResponse } from 'node:http';
import { HEARTBEAT_MS, type ControlPlaneEvent } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Outbox } from './outbox';
import { OutboxTail } from './outbox-tail';

const STREAMS_MAX = 1_000;
const PAGE = 200;
/**
 * Maximum unsent bytes of a reader. A slower reader is disconnected; it reconnects and requests the
 * events that it missed.
 */
const PENDING_BYTES_MAX = 4 * 1024 * 1024;
const DRAIN_TIMEOUT_MS = 10_000;

/**
 * Connection of one gateway. Sends the events after the gateway's newest one, then each new event.
 */
class EventStream {
  /** The newest sequence sent; null before the replay. */
  cursor: number | null = null;
  /** True once the replay is done and events are sent as they are committed. */
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

  /** Waits until the reader has received all data; disconnects it after `DRAIN_TIMEOUT_MS`. */
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

/** Sends outbox events to all gateways connected to this process. */
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
      // Gateways get no heartbeat while the outbox cannot be read.
      if (!this.tail.isCurrent) return;
      for (const stream of this.streams) if (stream.live) stream.heartbeat();
    }, HEARTBEAT_MS);
  }

  /** Runs before the server closes, because the server waits for every connection. */
  beforeApplicationShutdown(): void {
    this.isClosing = true;
    this.unfollow?.();
    if (this.timer) clearInterval(this.timer);
    for (const stream of this.streams) stream.end();
  }

  /**
   * Sends the events after `after`, or `reset` when they are no longer stored; then a heartbeat,
   * and each event when it is committed. A null `after` starts at the newest event. `takeOver`
   * returns the raw response, which the stream then owns; it is called once nothing can fail any
   * more. Throws `unavailable` at the maximum number of streams, while the process stops, and before
   * it follows the outbox.
   */
  async open(after: number | null, takeOver: () => ServerResponse): Promise<void> {
    this.assertRoom();
    const newest = await this.outbox.newest();
    const start = after === null || after === newest || (await this.outbox.reaches(after)) ? after : null;
    this.assertRoom();
    const res = takeOver();
    const stream = new EventStream(res);
    // The reader may have disconnected in the meantime; its response then emits no `close` any more.
    if (!stream.isOpen) return;
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
      // The gateway reconnects after this.
      res.destroy();
    }
  }

  private assertRoom(): void {
    const canFollow = !this.isClosing && this.tail.sequence !== null;
    if (canFollow && this.streams.size < STREAMS_MAX) return;
    throw new GatewayError('unavailable', {
      message: 'This admin API has no room for another event stream; connect again later.',
    });
  }

  private async replay(stream: EventStream): Promise<void> {
    while (stream.isOpen) {
      const events = await this.outbox.after(stream.cursor ?? 0, PAGE);
      for (const event of events) stream.send(event);
      await stream.drained();
      // The stream is live only once the replay has caught up with the tail, which may have
      // advanced in the meantime.
      if (events.length < PAGE && (this.tail.sequence ?? 0) <= (stream.cursor ?? 0)) break;
    }
    stream.live = true;
    stream.heartbeat();
  }
}
