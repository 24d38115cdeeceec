import { GatewayError, Shares, type Share } from '@gw/kernel';

export interface FairPlacesOptions {
  readonly places: number;
  /**
   * Maximum number of waiting callers, shared between holders like the places; more are refused.
   */
  readonly waiting: number;
  readonly waitMs: number;
}

/** A place in the pool. `free` returns it and may be called more than once. */
export interface Place {
  free(): void;
}

interface Waiter {
  readonly share: Share;
  readonly queued: Share;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (place: Place) => void;
  readonly reject: (error: GatewayError) => void;
}

/**
 * A pool whose places are shared fairly between holders: no holder may have more places than remain
 * free. A caller without a free place waits for a limited time; freed places go to the waiting
 * holders round-robin, whatever the length of their queues.
 */
export class FairPlaces {
  private readonly places: Shares;
  private readonly waiting: Shares;
  /** Waiting callers by holder; the first holder is served first. */
  private readonly queues = new Map<string, Waiter[]>();

  constructor(private readonly options: FairPlacesOptions) {
    this.places = new Shares(options.places);
    this.waiting = new Shares(options.waiting);
  }

  get held(): number {
    return this.places.held;
  }

  /** Takes a place without waiting; null when the holder can get none now. */
  takeNow(holder: string): Place | null {
    const share = this.places.of(holder, holder);
    return share.take(1) ? this.placeOf(share) : null;
  }

  /**
   * Waits for a place. Rejects with `unavailable` after `waitMs`, or immediately if too many
   * callers wait.
   */
  take(holder: string): Promise<Place> {
    const queue = this.queues.get(holder);
    // A caller does not overtake waiting callers of the same holder.
    const place = queue === undefined ? this.takeNow(holder) : null;
    if (place !== null) return Promise.resolve(place);
    const queued = this.waiting.of(holder, holder);
    if (!queued.take(1)) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.giveUp(holder, waiter), this.options.waitMs);
      const waiter = { share: this.places.of(holder, holder), queued, timer, resolve, reject };
      if (queue === undefined) this.queues.set(holder, [waiter]);
      else queue.push(waiter);
    });
  }

  /** Rejects all waiting callers. */
  close(): void {
    for (const [holder, queue] of this.queues) for (const waiter of [...queue]) this.giveUp(holder, waiter);
  }

  private placeOf(share: Share): Place {
    let isHeld = true;
    return {
      free: () => {
        if (!isHeld) return;
        isHeld = false;
        share.give(1);
        this.serve();
      },
    };
  }

  private serve(): void {
    for (const [holder, [first]] of this.queues) {
      if (first === undefined || !first.share.take(1)) continue;
      this.remove(holder, first);
      first.resolve(this.placeOf(first.share));
      return;
    }
  }

  private giveUp(holder: string, waiter: Waiter): void {
    this.remove(holder, waiter);
    waiter.reject(busy());
  }

  /** Removes the waiter and moves its holder to the end of the queue. */
  private remove(holder: string, waiter: Waiter): void {
    clearTimeout(waiter.timer);
    waiter.queued.give(1);
    const left = (this.queues.get(holder) ?? []).filter((other) => other !== waiter);
    this.queues.delete(holder);
    if (left.length > 0) this.queues.set(holder, left);
  }
}

const busy = (): GatewayError =>
  new GatewayError('unavailable', {
    message:
      'Too many requests to the control plane are in flight, from your network or in total; send the request again later.',
    headers: { 'retry-after': '2' },
  });
