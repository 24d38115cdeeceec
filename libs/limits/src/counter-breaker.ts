/** Number of round trips whose median latency is compared. */
const LATENCIES = 15;

export interface CounterBreakerOptions {
  /** Consecutive failures that open the breaker. */
  readonly failuresMax: number;
  /**
   * The breaker also opens when the median round trip takes longer, because requests would wait for
   * it.
   */
  readonly slowMs: number;
  readonly probeEveryMs: number;
}

/** Keeps requests from waiting for a counter store that fails or is slow. */
export class CounterBreaker {
  /** Monotonic milliseconds; null while the breaker is closed. */
  openSince: number | null = null;
  failures = 0;
  /** Whether the newest round trip succeeded, even if slowly; usage reports still arrive then. */
  isResponding = true;
  private consecutiveFailures = 0;
  private probeAt = 0;
  /** Latencies of the newest successful round trips, in milliseconds. */
  private latencies: number[] = [];

  constructor(private readonly options: CounterBreakerOptions) {}

  get isOpen(): boolean {
    return this.openSince !== null;
  }

  /**
   * Returns whether a round trip may be attempted: always while closed, one probe per
   * `probeEveryMs` while open.
   */
  mayProbe(nowMs: number): boolean {
    if (this.openSince === null) return true;
    if (nowMs < this.probeAt) return false;
    this.probeAt = nowMs + this.options.probeEveryMs;
    return true;
  }

  succeeded(nowMs: number, latencyMs: number): void {
    this.consecutiveFailures = 0;
    this.isResponding = true;
    if (this.openSince !== null) {
      if (latencyMs > this.options.slowMs) return;
      this.openSince = null;
      this.latencies = [];
    }
    this.latencies.push(latencyMs);
    if (this.latencies.length > LATENCIES) this.latencies.shift();
    if (latencyMs > this.options.slowMs && this.isSlow()) this.open(nowMs);
  }

  failed(nowMs: number): void {
    this.failures += 1;
    this.consecutiveFailures += 1;
    this.isResponding = false;
    if (this.consecutiveFailures >= this.options.failuresMax) this.open(nowMs);
  }

  private isSlow(): boolean {
    const slow = this.latencies.filter((latency) => latency > this.options.slowMs).length;
    return this.latencies.length === LATENCIES && slow > LATENCIES / 2;
  }

  private open(nowMs: number): void {
    if (this.openSince !== null) return;
    this.openSince = nowMs;
    this.probeAt = nowMs + this.options.probeEveryMs;
  }
}
