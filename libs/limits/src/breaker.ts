/** Keeps requests from waiting for counters that do not answer. */
export class Breaker {
  /** Monotonic; null: all is well. */
  openSince: number | null = null;
  failures = 0;
  private inARow = 0;
  private probeAt = 0;

  constructor(
    private readonly failuresMax: number,
    private readonly probeEveryMs: number,
  ) {}

  get isOpen(): boolean {
    return this.openSince !== null;
  }

  /** While it is open, one exchange at a time may find out whether the counters are back. */
  mayProbe(nowMs: number): boolean {
    if (this.openSince === null) return true;
    if (nowMs < this.probeAt) return false;
    this.probeAt = nowMs + this.probeEveryMs;
    return true;
  }

  succeeded(): void {
    this.inARow = 0;
    this.openSince = null;
  }

  failed(nowMs: number): void {
    this.failures += 1;
    this.inARow += 1;
    if (this.inARow < this.failuresMax || this.openSince !== null) return;
    this.openSince = nowMs;
    this.probeAt = nowMs + this.probeEveryMs;
  }
}
