import { decodeFrames, openBatch, Sealer } from '@gw/journal';
import { connectRedis, acceptsWrites, RedisLogReader, type Redis } from '@gw/redis';
import { describeFault, type Log } from '@gw/web';
import { journalKey, randomHex, type MasterKeys } from '@gw/kernel';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { hostname } from 'node:os';
import type { LogIngest } from './log-ingest';

const NO_FRAMES = { frames: [], damaged: true } as const;
/** Timeout of a read in milliseconds; longer than a read blocks. */
const COMMAND_TIMEOUT_MS = 10_000;

/** Reads the gateways' log records from the Redis stream. */
export class LogStreamConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly redis: Redis;
  private readonly probe: Redis;
  private readonly reader: RedisLogReader;

  /** `masters` are the master keys under which the records are sealed. */
  constructor(redisUrl: string, masters: MasterKeys, ingest: LogIngest, log: Log) {
    const sealer = new Sealer(masters.map(journalKey));
    this.probe = connectRedis({ url: redisUrl, name: 'worker-health' });
    this.redis = connectRedis({
      url: redisUrl,
      name: 'worker-log-stream',
      commandTimeoutMs: COMMAND_TIMEOUT_MS,
      log,
    });
    this.reader = new RedisLogReader(this.redis, {
      consumer: `${hostname()}-${randomHex(6)}`,
      store: async (sealed) => {
        const batch = openBatch(sealer, sealed);
        const { frames, damaged } = batch === null ? NO_FRAMES : decodeFrames(batch);
        // A second read would return the same damaged batch.
        if (damaged)
          log.error({ bytes: sealed.length }, 'found a damaged batch of log records on the stream');
        await ingest.store(frames);
      },
      onError: (error) => {
        log.warn(describeFault(error), 'failed to read log records from the stream');
      },
    });
  }

  /**
   * Checks that Redis responds. Uses a separate connection, because reads block theirs for a
   * second.
   */
  responds(): Promise<boolean> {
    return acceptsWrites(this.probe);
  }

  get isFailing(): boolean {
    return this.reader.isFailing;
  }

  onApplicationBootstrap(): void {
    this.reader.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.reader.stop();
    this.redis.disconnect();
    this.probe.disconnect();
  }
}
