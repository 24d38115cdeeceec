/** Round trips that the median is taken of. */
const LATENCIES = 15;

export interface CounterBreakerOptions {
  /** Failures in a row that open it. */
  readonly failuresMax: number;
  /** A median round trip that takes longer opens it too: requests would wait for it. */
  readonly slowMs: number;
  readonly probeEveryMs: number;
}

/** Keeps requests from waiting for counters that do not answer, or answer too slowly. */
export class CounterBreaker {
  /** Monotonic; null: all is well. */
  openSince: number | null = null;
  failures = 0;
  /** The newest round trip was answered, if slowly: reports still arrive. */
  answers = true;
  private inARow = 0;
  private probeAt = 0;
  /** Of the newest round trips that were answered. */
  private latencies: number[] = [];

  constructor(private readonly options: CounterBreakerOptions) {}

  get isOpen(): boolean {
    return this.openSince !== null;
  }

  /** While it is open, one round trip at a time may find out whether the counters are back. */
  mayProbe(nowMs: number): boolean {
    if (this.openSince === null) return true;
    if (nowMs < this.probeAt) return false;
    this.probeAt = nowMs + this.options.probeEveryMs;
    return true;
  }

  succeeded(nowMs: number, latencyMs: number): void {
    this.inARow = 0;
    this.answers = true;
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
    this.inARow += 1;
    this.answers = false;
    if (this.inARow >= this.options.failuresMax) this.open(nowMs);
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
