import type { RequestContext } from '../core/request-context';

/**
 * Requests that have begun and have no record yet, oldest first: a linked list through the
 * requests, so that none allocates memory for it.
 */
export class RequestsInFlight {
  private first: RequestContext | null = null;
  private last: RequestContext | null = null;

  join(context: RequestContext): void {
    const { last } = this;
    context.before = last;
    if (last === null) this.first = context;
    else last.after = context;
    this.last = context;
  }

  get isEmpty(): boolean {
    return this.first === null;
  }

  holds(context: RequestContext): boolean {
    return context.before !== null || this.first === context;
  }

  /** Does nothing if the request is not in the list. */
  leave(context: RequestContext): void {
    const { before, after } = context;
    if (!this.holds(context)) return;
    if (before === null) this.first = after;
    else before.after = after;
    if (after === null) this.last = before;
    else after.before = before;
    context.before = context.after = null;
  }

  /**
   * Returns requests that began before `startedBefore` (a time of `performance.now`), oldest first.
   */
  olderThan(startedBefore: number): RequestContext[] {
    const found: RequestContext[] = [];
    for (let at = this.first; at !== null && at.startedAt < startedBefore; at = at.after) found.push(at);
    return found;
  }
}
