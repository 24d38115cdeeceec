import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError } from '@gw/kernel';
import type { Redis } from 'ioredis';

/** Keys in one hash slot, so that scripts can use both in a Redis cluster. */
const STREAM = '{gw:logs}:stream';
const BYTES = '{gw:logs}:bytes';
const GROUP = 'workers';
const FIELD = 'frames';

/**
 * Adds a batch unless the stream would exceed its maximum size. The counter is the bytes of all
 * entries that are not deleted.
 */
const ADD = `
local held = tonumber(redis.call('GET', KEYS[2]) or '0')
if held > 0 and held + #ARGV[1] > tonumber(ARGV[2]) then return 0 end
local id = redis.call('XADD', KEYS[1], '*', '${FIELD}', ARGV[1])
redis.call('INCRBY', KEYS[2], #ARGV[1])
return id`;

/**
 * Acknowledges and deletes an entry, and marks it as stored. Only the first of several deliveries
 * subtracts its bytes.
 */
const ACKNOWLEDGE = `
redis.call('XACK', KEYS[1], '${GROUP}', ARGV[1])
redis.call('SET', KEYS[3], '1', 'EX', ARGV[3])
if redis.call('XDEL', KEYS[1], ARGV[1]) == 1 then redis.call('DECRBY', KEYS[2], ARGV[2]) end
return 1`;

/** Returns 1 if the entry is stored, 0 if it waits, -1 if Redis has lost it. */
const STATE_OF = `
if redis.call('DEL', KEYS[2]) == 1 then return 1 end
if #redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]) == 0 then return -1 end
return 0`;

/**
 * Removes consumers that have no entries and were idle for ARGV[1] milliseconds. A consumer that is
 * still alive joins again with its next read.
 */
const REMOVE_DEAD = `
local removed = 0
for _, fields in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], '${GROUP}')) do
  local consumer = {}
  for at = 1, #fields, 2 do consumer[fields[at]] = fields[at + 1] end
  if consumer.pending == 0 and consumer.idle >= tonumber(ARGV[1]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], '${GROUP}', consumer.name)
    removed = removed + 1
  end
end
return removed`;

const WAITS = 0;
const STORED = 1;
/**
 * How long the mark of a stored entry is kept. A gateway that was away for longer sends the batch
 * again.
 */
const STORED_MARK_SECONDS = 600;
const FIRST_POLL_MS = 10;
const POLL_MAX_MS = 200;

const storedMarkKey = (id: string): string => `{gw:logs}:stored:${id}`;

export interface RedisLogSinkOptions {
  /** Maximum bytes of log records in Redis, 256 MiB by default. */
  readonly capBytes?: number;
}

/**
 * Adds batches of journal frames to a Redis stream. The stream is never trimmed: when it is full,
 * it refuses batches and the records stay in the gateway's journal. Records leave the journal only
 * when a worker has stored them, so data loss in Redis loses no record.
 */
export class RedisLogSink {
  private readonly capBytes: number;

  constructor(
    private readonly redis: Redis,
    options: RedisLogSinkOptions = {},
  ) {
    this.capBytes = options.capBytes ?? 256 * 1024 * 1024;
  }

  /**
   * Resolves when a worker has stored the batch. Rejects if Redis is unreachable or has lost the
   * batch, which must then be sent again.
   */
  async send(batch: Buffer): Promise<void> {
    const id: unknown = await this.redis.eval(ADD, 2, STREAM, BYTES, batch, this.capBytes);
    if (typeof id !== 'string') {
      throw new GatewayError('unavailable', {
        message: 'The log stream in Redis is full because the workers are behind.',
      });
    }
    for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(2 * waitMs, POLL_MAX_MS)) {
      await delay(waitMs, undefined, { ref: false });
      const state = await this.redis.eval(STATE_OF, 2, STREAM, storedMarkKey(id), id);
      if (state === STORED) return;
      if (state !== WAITS) {
        throw new GatewayError('unavailable', {
          message: 'Redis has lost log records that were not stored yet.',
        });
      }
    }
  }
}

export interface RedisLogReaderOptions {
  /** Unique among the running workers. */
  readonly consumer: string;
  /**
   * Stores a batch. Its entry is deleted when this resolves, and delivered again when it rejects.
   * Must be idempotent.
   */
  readonly store: (batch: Buffer) => Promise<void>;
  /**
   * Time without a sign of life after which another worker takes over an entry, 5 s by default.
   * Until then, later entries of the same gateway wait.
   */
  readonly takeOverAfterMs?: number;
  /**
   * Idle time after which a killed worker without entries is removed from the group, 10 minutes by
   * default.
   */
  readonly forgetAfterMs?: number;
  readonly onError?: (error: unknown) => void;
}

/**
 * The raw reply of a stream read: `[entry id, [field, value, …]]`. The fields are null if the entry
 * is gone.
 */
type RawEntry = [Buffer, Buffer[] | null];

const BLOCK_MS = 1_000;
const ENTRIES = 4;
const RETRY_MAX_MS = 5_000;
const TAKE_OVER_AFTER_MS = 5_000;
/** Much longer than a read blocks, or than a worker may show no sign of life. */
const FORGET_AFTER_MS = 600_000;
/**
 * Signs of life per take-over time, so that a worker whose event loop was busy for a while is not
 * considered dead.
 */
const SIGNS_OF_LIFE = 5;

/**
 * Reads the log stream as one consumer of its group. Entries stay pending until they are stored, so
 * that others take them over when a worker dies. Needs a connection of its own, because its reads
 * block.
 */
export class RedisLogReader {
  private running: Promise<void> | null = null;
  private stopping = false;
  /** When entries of dead workers were last looked for, by the monotonic clock. */
  private takenOverAt = -Infinity;
  private removedAt = -Infinity;
  private failuresInRow = 0;
  private wake: () => void = () => undefined;
  private readonly takeOverAfterMs: number;
  private readonly forgetAfterMs: number;

  constructor(
    private readonly redis: Redis,
    private readonly options: RedisLogReaderOptions,
  ) {
    this.takeOverAfterMs = options.takeOverAfterMs ?? TAKE_OVER_AFTER_MS;
    this.forgetAfterMs = options.forgetAfterMs ?? FORGET_AFTER_MS;
  }

  start(): void {
    this.running ??= this.run();
  }

  /**
   * Stops after the current entries, within about a second when idle. Does not close the
   * connection.
   */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.running;
    await this.leaveGroup().catch((error: unknown) => this.options.onError?.(error));
  }

  /** Whether the stream can currently not be read or stored. */
  get isFailing(): boolean {
    return this.failuresInRow > 0;
  }

  private async run(): Promise<void> {
    let hasGroup = false;
    while (!this.stopping) {
      try {
        if (!hasGroup) await this.makeGroup();
        hasGroup = true;
        // Start all stores together, because they may share a transaction.
        const entries = await this.nextEntries();
        const ends = await this.holding(entries, () =>
          Promise.allSettled(entries.map((entry) => this.store(entry))),
        );
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
        this.failuresInRow = 0;
      } catch (error) {
        // If Redis loses its data, the group is lost with the stream.
        hasGroup = false;
        this.failuresInRow += 1;
        if (!this.stopping) this.options.onError?.(error);
        await this.pause();
      }
    }
  }

  private async makeGroup(): Promise<void> {
    try {
      await this.redis.xgroup('CREATE', STREAM, GROUP, '0', 'MKSTREAM');
    } catch (error) {
      if (!String(error).includes('BUSYGROUP')) throw error;
    }
  }

  /** Leaves the group unless this consumer has pending entries, which would be lost with it. */
  private async leaveGroup(): Promise<void> {
    const { consumer } = this.options;
    const held = await this.redis.xpending(STREAM, GROUP, '-', '+', 1, consumer);
    if (held.length === 0) await this.redis.xgroup('DELCONSUMER', STREAM, GROUP, consumer);
  }

  /**
   * Returns first the entries that this worker failed to store, then those of dead workers, then
   * new ones.
   */
  private async nextEntries(): Promise<RawEntry[]> {
    if (this.failuresInRow > 0) {
      const failed = await this.readGroup('0');
      if (failed.length > 0) return failed;
    }
    if (performance.now() >= this.takenOverAt + this.takeOverAfterMs / 2) {
      const claimed = await this.takeOver(this.takeOverAfterMs);
      if (claimed.length > 0) return claimed;
      this.takenOverAt = performance.now();
      await this.removeDead();
    }
    return this.readGroup('>');
  }

  private async readGroup(from: '0' | '>'): Promise<RawEntry[]> {
    const { consumer } = this.options;
    const group = ['GROUP', GROUP, consumer, 'COUNT', ENTRIES, 'BLOCK', BLOCK_MS, 'STREAMS', STREAM, from];
    const reply = (await this.redis.callBuffer('XREADGROUP', ...group)) as [Buffer, RawEntry[]][] | null;
    return reply?.[0]?.[1] ?? [];
  }

  private async takeOver(idleMs: number): Promise<RawEntry[]> {
    const { consumer } = this.options;
    const claim = [STREAM, GROUP, consumer, idleMs, '0', 'COUNT', ENTRIES];
    const reply = (await this.redis.callBuffer('XAUTOCLAIM', ...claim)) as [Buffer, RawEntry[]];
    return reply[1];
  }

  private async removeDead(): Promise<void> {
    if (performance.now() < this.removedAt + this.forgetAfterMs / 2) return;
    await this.redis.eval(REMOVE_DEAD, 1, STREAM, this.forgetAfterMs);
    this.removedAt = performance.now();
  }

  /**
   * Claims the entries repeatedly while `work` runs. Each claim resets their idle time, so that no
   * other worker takes them over.
   */
  private async holding<T>(entries: readonly RawEntry[], work: () => Promise<T>): Promise<T> {
    const ids = entries.map(([id]) => id);
    const claim = [STREAM, GROUP, this.options.consumer, '0', ...ids, 'JUSTID'] as const;
    const timer = setInterval(() => {
      this.redis.call('XCLAIM', ...claim).catch((error: unknown) => this.options.onError?.(error));
    }, this.takeOverAfterMs / SIGNS_OF_LIFE).unref();
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }

  private async store([id, fields]: RawEntry): Promise<void> {
    const frames = fields?.[1];
    if (frames) await this.options.store(frames);
    const keys = [STREAM, BYTES, storedMarkKey(id.toString())];
    await this.redis.eval(ACKNOWLEDGE, 3, ...keys, id, frames?.length ?? 0, STORED_MARK_SECONDS);
  }

  private pause(): Promise<void> {
    if (this.stopping) return Promise.resolve();
    const delay = Math.min(100 * 2 ** Math.min(this.failuresInRow, 16), RETRY_MAX_MS);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delay);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
