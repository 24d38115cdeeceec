import type { Redis } from 'ioredis';

export interface ChannelListener {
  readonly onMessage: (text: string) => void;
  /** The channel is subscribed, at first and again after a loss. Called once each time, before its first message. */
  readonly onUp?: () => void;
  /** Messages may be lost from now on, until `onUp`. */
  readonly onDown?: () => void;
}

export interface Publisher {
  publish(channel: string, text: string): Promise<void>;
}

/** Publish and subscribe. A message reaches those who are subscribed at that moment, and no one else. */
export class RedisBus implements Publisher {
  private readonly listeners = new Map<string, ChannelListener>();

  /** The channels whose listener knows that they are up. */
  private readonly up = new Set<string>();

  /** A connection that subscribes can do nothing else, so there are two; without the second the bus only publishes. */
  constructor(
    private readonly commands: Redis,
    private readonly subscriptions: Redis | null,
  ) {
    subscriptions?.on('message', (channel: string, text: string) => {
      // Redis may send it in one piece with the answer to SUBSCRIBE, which is a promise and comes later.
      this.tellUp(channel);
      this.listeners.get(channel)?.onMessage(text);
    });
    subscriptions?.on('ready', () => {
      for (const channel of this.listeners.keys()) this.open(channel);
    });
    subscriptions?.on('close', () => {
      this.up.clear();
      for (const listener of this.listeners.values()) listener.onDown?.();
    });
  }

  async publish(channel: string, text: string): Promise<void> {
    await this.commands.publish(channel, text);
  }

  /** One listener for each channel. Returns a function that ends it. */
  subscribe(channel: string, listener: ChannelListener): () => void {
    if (!this.subscriptions) throw new Error('This bus has no connection to subscribe with.');
    if (this.listeners.has(channel)) throw new Error(`The channel ${channel} has its listener already.`);
    this.listeners.set(channel, listener);
    if (this.subscriptions.status === 'ready') this.open(channel);
    return () => {
      this.listeners.delete(channel);
      this.up.delete(channel);
      if (this.subscriptions?.status === 'ready') {
        this.subscriptions.unsubscribe(channel).catch(() => undefined);
      }
    };
  }

  private open(channel: string): void {
    // A failure closes the connection, or the subscription comes with the next one.
    this.subscriptions?.subscribe(channel).then(
      () => {
        this.tellUp(channel);
      },
      () => {
        this.subscriptions?.disconnect(true);
      },
    );
  }

  private tellUp(channel: string): void {
    const listener = this.listeners.get(channel);
    if (!listener || this.up.has(channel)) return;
    this.up.add(channel);
    listener.onUp?.();
  }
}
