import { EVERY_DOCUMENT, type ChangeEvent, type ControlPlaneEvent, type DocumentKey } from '@gw/contracts';
import type { EventSource, Subscription } from './ports';

/** Applies events to the read model. */
export interface EventHandlers {
  /** All known documents are as current as the stream. */
  confirmed(): void;
  /** Events may have been missed; known documents stay. */
  lost(): void;
  /** Missed events cannot be recovered: nothing read before counts as verified. */
  startedOver(): void;
  removed(key: DocumentKey, sequence: number): void;
  changed(key: DocumentKey, sequence: number): void;
  /** All keys of one change have been delivered. */
  applied(): void;
}

export interface EventFollowerOptions {
  readonly events: EventSource;
  /** Milliseconds without an event after which the stream counts as lost. */
  readonly silenceMaxMs: number;
  readonly now: () => number;
  readonly followed: EventHandlers;
}

/**
 * Reads the change stream in order, detects missing events, and then catches up from the last known
 * one.
 */
export class EventFollower {
  private subscription: Subscription | null = null;
  private watchdog: NodeJS.Timeout | null = null;
  private lastReceivedAt = -Infinity;
  /** The newest change that was applied; null before the first contact. */
  sequence: number | null = null;
  /** ISO 8601; null before the first event. */
  lastEventAt: string | null = null;

  constructor(private readonly options: EventFollowerOptions) {}

  start(): void {
    const { events, followed, silenceMaxMs, now } = this.options;
    this.lastReceivedAt = now();
    this.subscription = events.subscribe(() => this.sequence, {
      onEvent: (event) => {
        this.onEvent(event);
      },
      onLost: () => {
        followed.lost();
      },
    });
    this.watchdog = setInterval(() => {
      if (now() - this.lastReceivedAt <= silenceMaxMs) return;
      this.lastReceivedAt = now();
      this.recover();
    }, silenceMaxMs / 6);
    this.watchdog.unref();
  }

  stop(): void {
    if (this.watchdog) clearInterval(this.watchdog);
    this.subscription?.close();
    this.options.followed.lost();
  }

  private onEvent(event: ControlPlaneEvent): void {
    this.lastEventAt = new Date().toISOString();
    switch (event.type) {
      case 'change':
        this.onChange(event);
        break;
      case 'heartbeat':
        if (this.sequence === null) this.startOver(event.sequence);
        if (event.sequence > (this.sequence ?? 0)) this.recover();
        else if (event.sequence === this.sequence) this.confirm();
        // An older heartbeat says nothing new: one publisher lags behind another, or the database
        // was restored, which shows when no other event arrives.
        break;
      case 'reset':
        this.startOver(event.sequence);
        break;
    }
  }

  private onChange(event: ChangeEvent): void {
    const { followed, now } = this.options;
    if (this.sequence !== null) {
      if (event.sequence <= this.sequence) return;
      if (event.previous > this.sequence) {
        this.recover();
        return;
      }
      this.sequence = event.sequence;
    }
    this.lastReceivedAt = now();
    for (const key of event.removed) followed.removed(key, event.sequence);
    for (const key of event.changed) followed.changed(key, event.sequence);
    if (event.changed.includes(EVERY_DOCUMENT)) this.startOver(event.sequence);
    followed.applied();
  }

  private confirm(): void {
    this.lastReceivedAt = this.options.now();
    this.options.followed.confirmed();
  }

  /** Reconnects, because an event is missing. */
  private recover(): void {
    this.options.followed.lost();
    this.subscription?.reconnect();
  }

  private startOver(sequence: number): void {
    this.lastReceivedAt = this.options.now();
    this.sequence = sequence;
    this.options.followed.startedOver();
  }
}
