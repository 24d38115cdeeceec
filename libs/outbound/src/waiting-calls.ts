import { Shares } from '@gw/kernel';

/**
 * The calls of one pool that wait for a connection: the calls of one holder in order of arrival,
 * the holders in rotation.
 */
export class WaitingCalls<Call extends { readonly holder: string }> {
  size = 0;
  private readonly queues = new Map<string, Set<Call>>();
  private readonly places: Shares;

  constructor(private readonly max: number) {
    this.places = new Shares(max);
  }

  /** Adds a call. Returns false if there is no place left, or none for its holder. */
  add(call: Call): boolean {
    const { holder } = call;
    if (this.size >= this.max || (holder !== '' && !this.places.of(holder, holder).take(1))) return false;
    const queue = this.queues.get(holder);
    if (queue) queue.add(call);
    else this.queues.set(holder, new Set([call]));
    this.size += 1;
    return true;
  }

  delete(call: Call): void {
    const { holder } = call;
    const queue = this.queues.get(holder);
    if (!queue?.delete(call)) return;
    if (queue.size === 0) this.queues.delete(holder);
    if (holder !== '') this.places.of(holder, holder).give(1);
    this.size -= 1;
  }

  /**
   * Removes and returns the first call of the next holder that `mayStart` allows; null if it allows
   * none.
   */
  next(mayStart: (holder: string) => boolean): Call | null {
    for (const [holder, queue] of this.queues) {
      if (!mayStart(holder)) continue;
      const [call] = queue;
      if (!call) continue;
      this.delete(call);
      if (this.queues.delete(holder)) this.queues.set(holder, queue);
      return call;
    }
    return null;
  }

  all(): Call[] {
    return [...this.queues.values()].flatMap((queue) => [...queue]);
  }
}
