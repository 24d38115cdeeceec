import type { Exchange } from '../exchange';

/** Requests that have begun and have no record yet, oldest first. They are linked to one another, so that no request allocates for it. */
export class RequestsUnderWay {
  private first: Exchange | null = null;
  private last: Exchange | null = null;

  join(exchange: Exchange): void {
    const { last } = this;
    exchange.before = last;
    if (last === null) this.first = exchange;
    else last.after = exchange;
    this.last = exchange;
  }

  get isEmpty(): boolean {
    return this.first === null;
  }

  holds(exchange: Exchange): boolean {
    return exchange.before !== null || this.first === exchange;
  }

  /** Nothing for one that is not there. */
  leave(exchange: Exchange): void {
    const { before, after } = exchange;
    if (!this.holds(exchange)) return;
    if (before === null) this.first = after;
    else before.after = after;
    if (after === null) this.last = before;
    else after.before = before;
    exchange.before = exchange.after = null;
  }

  /** Those that have begun before `startedBefore` (of `performance.now`), oldest first. */
  olderThan(startedBefore: number): Exchange[] {
    const found: Exchange[] = [];
    for (let at = this.first; at !== null && at.startedAt < startedBefore; at = at.after) found.push(at);
    return found;
  }
}
