import type { Upstream } from '../core/upstream';

/** A hedged pair of calls that are both in flight. */
export class RequestHedge {
  constructor(
    /** The upstream of the first call; `attempts.requested` is that of the second. */
    readonly first: Upstream,
  ) {}
}
