import type { RequestContext } from '../core/request-context';

/** Requests that have begun and have no record yet, oldest first. They are linked to one another, so that no request allocates for it. */
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

  /** Nothing for one that is not there. */
  leave(context: RequestContext): void {
    const { before, after } = context;
    if (!this.holds(context)) return;
    if (before === null) this.first = after;
    else before.after = after;
    if (after === null) this.last = before;
    else after.before = before;
    context.before = context.after = null;
  }

  /** Those that have begun before `startedBefore` (of `performance.now`), oldest first. */
  olderThan(startedBefore: number): RequestContext[] {
    const found: RequestContext[] = [];
    for (let at = this.first; at !== null && at.startedAt < startedBefore; at = at.after) found.push(at);
    return found;
  }
}
