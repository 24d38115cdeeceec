import type { Redis } from 'ioredis';

export interface ChannelListener {
  readonly onMessage: (text: string) => void;
  /**
   * Called when the channel is subscribed, initially and after each loss, before its first message.
   */
  readonly onUp?: () => void;
  /** Called when messages may be lost from now on, until `onUp`. */
  readonly onDown?: () => void;
}

export interface Publisher {
  publish(channel: string, text: string): Promise<void>;
}

/** Publish and subscribe over Redis. A message reaches only the current subscribers. */
export class RedisBus implements Publisher {
  private readonly listeners = new Map<string, ChannelListener>();

  /** The channels for which `onUp` was called. */
  private readonly up = new Set<string>();

  /**
   * Takes two connections, because one that subscribes cannot run other commands. Without the
   * second one the bus only publishes.
   */
  constructor(
    private readonly commands: Redis,
    private readonly subscriptions: Redis | null,
  ) {
    subscriptions?.on('message', (channel: string, text: string) => {
      // Redis may send a message together with the reply to SUBSCRIBE, whose promise resolves
      // later.
      this.notifyUp(channel);
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

  /** Subscribes the only listener of a channel. Returns a function that unsubscribes. */
  subscribe(channel: string, listener: ChannelListener): () => void {
    if (!this.subscriptions) throw new Error('the bus has no connection for subscriptions');
    if (this.listeners.has(channel)) throw new Error(`the channel ${channel} already has a listener`);
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
    // After a failure, subscribe again on a new connection.
    this.subscriptions?.subscribe(channel).then(
      () => {
        this.notifyUp(channel);
      },
      () => {
        this.subscriptions?.disconnect(true);
      },
    );
  }

  private notifyUp(channel: string): void {
    const listener = this.listeners.get(channel);
    if (!listener || this.up.has(channel)) return;
    this.up.add(channel);
    listener.onUp?.();
  }
}
