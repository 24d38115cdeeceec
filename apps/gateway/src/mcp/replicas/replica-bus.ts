import type { ChannelListener, Publisher } from '@gw/redis';

/**
 * Publishes texts to channels and subscribes to channels. `RedisBus` implements it, or `LocalBus`
 * without Redis.
 */
export interface ReplicaBus extends Publisher {
  /** Subscribes the only listener of a channel. Returns a function that unsubscribes. */
  subscribe(channel: string, listener: ChannelListener): () => void;
}

/** Connects the publishers and subscribers of one process, for a gateway without Redis. */
export class LocalBus implements ReplicaBus {
  private readonly listeners = new Map<string, ChannelListener>();

  publish(channel: string, text: string): Promise<void> {
    // Listeners are called asynchronously, as with Redis.
    setImmediate(() => this.listeners.get(channel)?.onMessage(text));
    return Promise.resolve();
  }

  subscribe(channel: string, listener: ChannelListener): () => void {
    this.listeners.set(channel, listener);
    setImmediate(() => {
      if (this.listeners.get(channel) === listener) listener.onUp?.();
    });
    return () => {
      if (this.listeners.get(channel) === listener) this.listeners.delete(channel);
    };
  }
}
