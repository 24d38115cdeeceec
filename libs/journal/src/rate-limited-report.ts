export interface Problem {
  readonly kind: string;
  /** Number of occurrences, or of bytes, since the last report of this kind. */
  readonly count: number;
  readonly message: string;
}

const INTERVAL_MS = 10_000;

/**
 * Reports problems at most once per kind and 10 seconds, with the count of those in between. Each
 * kind is kept in memory, so there must be only a few.
 */
export class RateLimitedReport {
  private readonly kinds = new Map<string, { count: number; nextAt: number }>();

  constructor(private readonly report: (problem: Problem) => void) {}

  add(kind: string, count: number, message: string): void {
    const state = this.kinds.get(kind) ?? { count: 0, nextAt: 0 };
    this.kinds.set(kind, state);
    state.count += count;
    const now = Date.now();
    if (now < state.nextAt) return;
    const problem = { kind, count: state.count, message };
    state.count = 0;
    state.nextAt = now + INTERVAL_MS;
    this.report(problem);
  }
}
