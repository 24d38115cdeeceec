/**
 * Bounds the bytes of memory of several bodies together. A body that exceeds the bound is refused,
 * not queued.
 */
export class BodyBudget {
  private held = 0;

  constructor(private readonly maxBytes: number) {}

  /** Reserves `bytes`; returns false when there is no room. */
  take(bytes: number): boolean {
    if (this.held + bytes > this.maxBytes) return false;
    this.held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.held -= bytes;
  }
}
