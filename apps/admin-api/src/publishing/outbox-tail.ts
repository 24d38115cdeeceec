import { HEARTBEAT_MS, type ChangeEvent } from '@gw/contracts';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { CHANGE_CHANNEL } from '@gw/entities';
import { Outbox } from './outbox';

/** Poll interval in milliseconds; the poll finds events whose notification was lost. */
const POLL_MS = 500;
const PAGE = 500;
const PRUNE_MS = 10 * 60_000;
const LISTEN_RETRY_MS = 1_000;

type Follower = (events: readonly ChangeEvent[]) => void;

/**
 * Follows the outbox from its newest event at start and passes every event to the followers, in
 * order and exactly once. A notification wakes it within milliseconds of a commit; the poll finds
 * events whose notification was lost.
 */
@Injectable()
export class OutboxTail implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(OutboxTail.name);
  private readonly followers = new Set<Follower>();
  private readonly timers: NodeJS.Timeout[] = [];
  private listening: Client | null = null;
  private position: number | null = null;
  private readAt = -Infinity;
  private reading: Promise<void> | null = null;
  private again = false;
  private failing = false;
  private stopped = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
  ) {}

  /** Sequence of the newest event passed to the followers; null before the first read. */
  get sequence(): number | null {
    return this.position;
  }

  /**
   * Whether the outbox was read within the last heartbeat interval, so that `sequence` is known to
   * be the newest.
   */
  get isCurrent(): boolean {
    return this.position !== null && performance.now() - this.readAt < HEARTBEAT_MS;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.timers.push(
      setInterval(() => {
        this.wake();
      }, POLL_MS),
      setInterval(() => {
        this.prune();
      }, PRUNE_MS),
    );
    void this.listen();
    this.wake();
    await this.reading;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers) clearInterval(timer);
    await this.reading;
    await this.listening?.end().catch(() => undefined);
  }

  /** Adds a follower, and returns a function that removes it. Followers must not throw. */
  follow(follower: Follower): () => void {
    this.followers.add(follower);
    return () => this.followers.delete(follower);
  }

  /** Reads new events now. Calls during a read cause one more read. */
  wake(): void {
    if (this.stopped) return;
    if (this.reading !== null) {
      this.again = true;
      return;
    }
    this.reading = this.readAll().finally(() => {
      this.reading = null;
      if (!this.again) return;
      this.again = false;
      this.wake();
    });
  }

  private async readAll(): Promise<void> {
    try {
      this.position ??= await this.outbox.newest();
      for (;;) {
        const events = await this.outbox.after(this.position, PAGE);
        this.readAt = performance.now();
        const last = events.at(-1);
        if (last === undefined) break;
        this.position = last.sequence;
        for (const follower of this.followers) follower(events);
      }
      this.failing = false;
    } catch (error) {
      if (!this.failing && !this.stopped) this.logger.warn(`failed to read the outbox: ${String(error)}`);
      this.failing = true;
    }
  }

  /**
   * Uses a separate connection, because Postgres notifies the session that listens, and a pool
   * would share that session.
   */
  private async listen(): Promise<void> {
    if (this.stopped) return;
    const { url, ssl } = this.dataSource.options as { url?: string; ssl?: boolean };
    const client = new Client({
      connectionString: url,
      ...(ssl === undefined ? {} : { ssl }),
      application_name: 'admin-api-events',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    let over = false;
    const retry = (): void => {
      if (over) return;
      over = true;
      this.listening = null;
      client.end().catch(() => undefined);
      if (!this.stopped) setTimeout(() => void this.listen(), LISTEN_RETRY_MS).unref();
    };
    client.on('error', retry);
    client.on('end', retry);
    client.on('notification', () => {
      this.wake();
    });
    try {
      await client.connect();
      this.listening = client;
      await client.query(`LISTEN ${CHANGE_CHANNEL}`);
      this.wake();
    } catch {
      retry();
    }
    if (this.stopped) await client.end().catch(() => undefined);
  }

  private prune(): void {
    this.outbox.prune().catch((error: unknown) => {
      this.logger.warn(`failed to delete old change events: ${String(error)}`);
    });
  }
}
