import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError } from '@gw/kernel';
import type { Redis } from 'ioredis';

/** One hash slot, so that the scripts may touch both on a cluster. */
const STREAM = '{gw:logs}:stream';
const BYTES = '{gw:logs}:bytes';
const GROUP = 'workers';
const FIELD = 'frames';

/** Adds a batch unless the stream would pass its cap. The counter holds the bytes of all entries that are not yet deleted. */
const ADD = `
local held = tonumber(redis.call('GET', KEYS[2]) or '0')
if held > 0 and held + #ARGV[1] > tonumber(ARGV[2]) then return 0 end
local id = redis.call('XADD', KEYS[1], '*', '${FIELD}', ARGV[1])
redis.call('INCRBY', KEYS[2], #ARGV[1])
return id`;

/** Acknowledges and deletes an entry, and leaves word that it is stored; only the first of several deliveries gives its bytes back. */
const DONE = `
redis.call('XACK', KEYS[1], '${GROUP}', ARGV[1])
redis.call('SET', KEYS[3], '1', 'EX', ARGV[3])
if redis.call('XDEL', KEYS[1], ARGV[1]) == 1 then redis.call('DECRBY', KEYS[2], ARGV[2]) end
return 1`;

/** 1: it is stored. 0: it waits. -1: Redis has lost it. */
const LOOK = `
if redis.call('DEL', KEYS[2]) == 1 then return 1 end
if #redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]) == 0 then return -1 end
return 0`;

/** Removes consumers that hold nothing and have not come for ARGV[1] milliseconds; one that is alive after all joins with its next read. */
const FORGET = `
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
/** Word that an entry is stored is kept for so long; a gateway that was away for longer sends the batch again. */
const WORD_SECONDS = 600;
const LOOK_FIRST_MS = 10;
const LOOK_MAX_MS = 200;

const wordOf = (id: string): string => `{gw:logs}:stored:${id}`;

export interface RedisLogSinkOptions {
  /** Bytes of log records that may wait in Redis; 256 MiB when absent. */
  readonly capBytes?: number;
}

/**
 * Puts batches of journal frames on a Redis stream. Nothing is ever trimmed: a stream at its cap refuses, and the records wait in
 * the gateway's journal. They leave it once a worker has stored them, so that a Redis that loses its data loses no record.
 */
export class RedisLogSink {
  private readonly capBytes: number;

  constructor(
    private readonly redis: Redis,
    options: RedisLogSinkOptions = {},
  ) {
    this.capBytes = options.capBytes ?? 256 * 1024 * 1024;
  }

  /** Resolves once a worker has stored the batch. Rejects when Redis can't be reached or has lost it: it must be sent again then. */
  async send(batch: Buffer): Promise<void> {
    const id: unknown = await this.redis.eval(ADD, 2, STREAM, BYTES, batch, this.capBytes);
    if (typeof id !== 'string') {
      throw new GatewayError('unavailable', {
        message: 'The log stream is at its cap; the workers are behind.',
      });
    }
    for (let waitMs = LOOK_FIRST_MS; ; waitMs = Math.min(2 * waitMs, LOOK_MAX_MS)) {
      await delay(waitMs, undefined, { ref: false });
      const state = await this.redis.eval(LOOK, 2, STREAM, wordOf(id), id);
      if (state === STORED) return;
      if (state !== WAITS) {
        throw new GatewayError('unavailable', { message: 'Redis has lost log records that wait in it.' });
      }
    }
  }
}

export interface RedisLogReaderOptions {
  /** Unique among the workers that run now. */
  readonly consumer: string;
  /** Stores a batch; its entry is deleted once this resolves, and delivered again when it rejects. Must be safe to run twice. */
  readonly store: (batch: Buffer) => Promise<void>;
  /**
   * An entry that its worker has not shown to be at work on for this long is taken over by another; 5 s when absent. Until then what its gateway has
   * sent after it waits too.
   */
  readonly takeOverAfterMs?: number;
  /** A worker that was killed leaves the group once it holds nothing and has not come for this long; 10 minutes when absent. */
  readonly forgetAfterMs?: number;
  readonly onError?: (error: unknown) => void;
}

/** The raw reply of a stream read: `[entry id, [field, value, …]]`, fields null when the entry is gone. */
type RawEntry = [Buffer, Buffer[] | null];

const BLOCK_MS = 1_000;
const ENTRIES = 4;
const RETRY_MAX_MS = 5_000;
const TAKE_OVER_AFTER_MS = 5_000;
/** Well over the time that a read blocks, or that a worker shows no sign of life. */
const FORGET_AFTER_MS = 600_000;
/** Of that time: a worker whose event loop was busy for a while is not taken for dead. */
const SIGNS_OF_LIFE = 5;

/**
 * Reads the log stream as one of its consumer group. Entries stay pending until they are stored, so that a worker's death loses
 * none: it no longer shows that it is at work on them, and they are taken over. Needs a connection of its own, since its reads block.
 */
export class RedisLogReader {
  private running: Promise<void> | null = null;
  private stopping = false;
  private takenOverAt = 0;
  private forgottenAt = 0;
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

  /** Ends after the entries at hand, within about a second when idle. The connection stays open. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.running;
    await this.leaveGroup().catch((error: unknown) => this.options.onError?.(error));
  }

  /** True while the stream can't be read or stored. */
  get isFailing(): boolean {
    return this.failuresInRow > 0;
  }

  private async run(): Promise<void> {
    let hasGroup = false;
    while (!this.stopping) {
      try {
        if (!hasGroup) await this.makeGroup();
        hasGroup = true;
        // All at once: they may share a transaction.
        const entries = await this.nextEntries();
        const ends = await this.holding(entries, () =>
          Promise.allSettled(entries.map((entry) => this.store(entry))),
        );
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
        this.failuresInRow = 0;
      } catch (error) {
        // The group goes with the stream when Redis loses its data.
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

  /** A consumer that still holds entries must stay known, or they would go with it. */
  private async leaveGroup(): Promise<void> {
    const { consumer } = this.options;
    const held = await this.redis.xpending(STREAM, GROUP, '-', '+', 1, consumer);
    if (held.length === 0) await this.redis.xgroup('DELCONSUMER', STREAM, GROUP, consumer);
  }

  /** First what this worker failed to store, then what others left, then what is new. */
  private async nextEntries(): Promise<RawEntry[]> {
    if (this.failuresInRow > 0) {
      const own = await this.readGroup('0');
      if (own.length > 0) return own;
    }
    if (Date.now() >= this.takenOverAt + this.takeOverAfterMs / 2) {
      const claimed = await this.takeOver(this.takeOverAfterMs);
      if (claimed.length > 0) return claimed;
      this.takenOverAt = Date.now();
      await this.forgetDead();
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

  private async forgetDead(): Promise<void> {
    if (Date.now() < this.forgottenAt + this.forgetAfterMs / 2) return;
    await this.redis.eval(FORGET, 1, STREAM, this.forgetAfterMs);
    this.forgottenAt = Date.now();
  }

  /** Shows that the entries are being worked on, for as long as `work` takes: claiming them anew resets the time since they were touched. */
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
    const keys = [STREAM, BYTES, wordOf(id.toString())];
    await this.redis.eval(DONE, 3, ...keys, id, frames?.length ?? 0, WORD_SECONDS);
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
