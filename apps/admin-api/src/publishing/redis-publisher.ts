import {
  EVENT_CHANNEL,
  EVERY_DOCUMENT,
  HEARTBEAT_MS,
  type ChangeEvent,
  type ControlPlaneEvent,
} from '@gw/contracts';
import type { Publisher, RedisDocuments, StoredCopy } from '@gw/redis';
import { Logger } from '@nestjs/common';
import { KEYS_PER_EVENT_MAX } from '@gw/entities';
import type { DocumentsService } from './documents.service';
import type { Outbox } from './outbox';
import type { OutboxTail } from './outbox-tail';

/** Injection token of the `RedisPublisher`; null without Redis. */
export const REDIS_PUBLISHER = Symbol('REDIS_PUBLISHER');

const PAGE = 100;
/**
 * Maximum concurrent writes of read documents to Redis. Above it a write is skipped; the next miss
 * stores the document.
 */
const FILLS_MAX = 8;

/**
 * Publishes the outbox to Redis: for each change first the documents, then the event, then the
 * position. The position is stored in Redis, so that a publisher continues where any process
 * stopped, several can run concurrently, and changes that were made while none ran are published at
 * the next start.
 */
export class RedisPublisher {
  private readonly logger = new Logger(RedisPublisher.name);
  /** Sequence that was published last; null when it must first be read from Redis. */
  private position: number | null = null;
  private reconnects = 0;
  private running: Promise<void> | null = null;
  private again = false;
  private stopped = false;
  private timer: NodeJS.Timeout | null = null;
  private unfollow: (() => void) | null = null;
  private fills = 0;
  private failing = false;

  constructor(
    private readonly outbox: Outbox,
    private readonly tail: OutboxTail,
    private readonly documents: DocumentsService,
    private readonly redis: RedisDocuments,
    private readonly bus: Publisher,
    /** Connection to Redis; `stop` closes it. */
    private readonly connection: { responds(): Promise<boolean>; close(): void },
  ) {}

  start(): void {
    this.unfollow = this.tail.follow(() => {
      this.wake();
    });
    this.timer = setInterval(() => {
      this.wake(true);
    }, HEARTBEAT_MS);
    this.wake();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.unfollow?.();
    if (this.timer) clearInterval(this.timer);
    await this.running;
    this.connection.close();
  }

  /** Whether Redis accepts writes. */
  responds(): Promise<boolean> {
    return this.connection.responds();
  }

  /**
   * Reads the position again after a reconnection, because Redis may have returned with other data.
   */
  reconnected(): void {
    this.reconnects += 1;
    this.position = null;
    this.wake();
  }

  /**
   * Stores the documents of a gateway's cache misses in Redis, in the background. Does not store
   * the absence of documents, since the number of unknown keys is unbounded.
   */
  fill(copies: readonly StoredCopy[]): void {
    const present = copies.filter(({ document }) => document !== null);
    if (present.length === 0 || this.fills >= FILLS_MAX) return;
    this.fills += 1;
    this.redis
      .write(present)
      .catch(() => undefined)
      .finally(() => {
        this.fills -= 1;
      });
  }

  private wake(withHeartbeat = false): void {
    if (this.stopped) return;
    if (this.running !== null) {
      this.again = true;
      return;
    }
    this.running = this.publishAll(withHeartbeat).finally(() => {
      this.running = null;
      if (!this.again) return;
      this.again = false;
      this.wake();
    });
  }

  private async publishAll(withHeartbeat: boolean): Promise<void> {
    const { reconnects } = this;
    try {
      let position = this.position ?? (await this.findPosition());
      for (;;) {
        const events = await this.outbox.after(position, PAGE);
        for (const event of events) {
          await this.publish(event);
          position = event.sequence;
        }
        if (events.length > 0) await this.redis.advance(position);
        if (events.length < PAGE) break;
      }
      if (reconnects === this.reconnects) this.position = position;
      if (withHeartbeat && this.tail.isCurrent) await this.send({ type: 'heartbeat', sequence: position });
      this.failing = false;
    } catch (error) {
      this.position = null;
      if (!this.failing) this.logger.warn(`failed to publish changes to Redis: ${messageOf(error)}`);
      this.failing = true;
    }
  }

  private async findPosition(): Promise<number> {
    const [published, newest] = await Promise.all([this.redis.published(), this.outbox.newest()]);
    if (published !== null && (published === newest || (await this.outbox.reaches(published)))) {
      return published;
    }
    // The changes since then are no longer stored, or Redis served another database, so no document
    // in Redis can be trusted.
    await this.redis.restart(newest);
    return newest;
  }

  private async publish(event: ChangeEvent): Promise<void> {
    if (event.changed.includes(EVERY_DOCUMENT)) {
      await this.redis.restart(event.sequence);
      return this.send(event);
    }
    const keys = [...event.changed, ...event.removed];
    for (let at = 0; at < keys.length; at += KEYS_PER_EVENT_MAX) {
      // Removed keys are read too, because a newer document may now use the key.
      const read = keys.slice(at, at + KEYS_PER_EVENT_MAX);
      const response = await this.documents.read(read);
      await this.redis.write(copiesOf(response));
      const unreadable = read.filter((key) => !Object.hasOwn(response.documents, key));
      await this.redis.invalidate(unreadable, response.sequence);
    }
    await this.send(event);
  }

  private send(event: ControlPlaneEvent): Promise<void> {
    return this.bus.publish(EVENT_CHANNEL, JSON.stringify(event));
  }
}

export const copiesOf = ({
  sequence,
  documents,
}: Awaited<ReturnType<DocumentsService['read']>>): StoredCopy[] =>
  Object.entries(documents).map(([key, document]) => ({ key, document, sequence }));

/**
 * Logs only the message, because an error of the Redis client contains the arguments of its
 * command.
 */
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');
