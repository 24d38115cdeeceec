import { EVERY_DOCUMENT, type ChangeEvent, type ControlPlaneEvent, type DocumentKey } from '@gw/contracts';
import type { EventSource, Subscription } from './ports';

/** What events do to what is known. */
export interface Followed {
  /** Everything known is as new as the stream. */
  confirmed(): void;
  /** Something may have been missed; what is known stays. */
  lost(): void;
  /** What was missed cannot be known any more: nothing counts as verified that was read before. */
  startedOver(): void;
  removed(key: DocumentKey, sequence: number): void;
  changed(key: DocumentKey, sequence: number): void;
  /** All of one change has been delivered. */
  applied(): void;
}

export interface EventFollowerOptions {
  readonly events: EventSource;
  /** The stream counts as lost after this long without an event, milliseconds. */
  readonly silenceMaxMs: number;
  readonly now: () => number;
  readonly followed: Followed;
}

/** Reads the stream of changes in order, notices what is missing of it, and then catches up from what was seen last. */
export class EventFollower {
  private subscription: Subscription | null = null;
  private watchdog: NodeJS.Timeout | null = null;
  private heardAt = -Infinity;
  /** The newest change that was applied; null before the first contact. */
  sequence: number | null = null;
  /** ISO 8601; null before the first event. */
  lastEventAt: string | null = null;

  constructor(private readonly options: EventFollowerOptions) {}

  start(): void {
    const { events, followed, silenceMaxMs, now } = this.options;
    this.heardAt = now();
    this.subscription = events.subscribe(() => this.sequence, {
      onEvent: (event) => {
        this.onEvent(event);
      },
      onLost: () => {
        followed.lost();
      },
    });
    this.watchdog = setInterval(() => {
      if (now() - this.heardAt <= silenceMaxMs) return;
      this.heardAt = now();
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
        // An older one says nothing of what we know: a publisher lags behind another, or the database is an older one, which
        // shows when nothing else is heard.
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
    this.heardAt = now();
    for (const key of event.removed) followed.removed(key, event.sequence);
    for (const key of event.changed) followed.changed(key, event.sequence);
    if (event.changed.includes(EVERY_DOCUMENT)) this.startOver(event.sequence);
    followed.applied();
  }

  private confirm(): void {
    this.heardAt = this.options.now();
    this.options.followed.confirmed();
  }

  /** An event is missing. */
  private recover(): void {
    this.options.followed.lost();
    this.subscription?.reconnect();
  }

  private startOver(sequence: number): void {
    this.heardAt = this.options.now();
    this.sequence = sequence;
    this.options.followed.startedOver();
  }
}
