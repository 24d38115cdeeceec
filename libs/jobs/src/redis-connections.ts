import { Redis, type RedisOptions } from 'ioredis';

/**
 * A connection of BullMQ to Redis that knows its copies; a worker waits for jobs on a copy. We
 * close them, because BullMQ waits for a Redis that is down before it closes its own.
 */
export class RedisConnections extends Redis {
  private readonly copies: Redis[] = [];

  /** Commands wait for a Redis that is down. */
  constructor(url: string) {
    super(url, { maxRetriesPerRequest: null });
  }

  override duplicate(override?: Partial<RedisOptions>): Redis {
    const copy = super.duplicate(override);
    this.copies.push(copy);
    return copy;
  }

  /** True while each connection can send commands. */
  get areReady(): boolean {
    return [this, ...this.copies].every(({ status }) => status === 'ready');
  }

  /** Closes the connections, which do not connect again. */
  drop(): void {
    for (const connection of [this, ...this.copies]) connection.disconnect();
  }
}
