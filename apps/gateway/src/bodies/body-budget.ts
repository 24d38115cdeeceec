/** Bytes that the bodies of all requests under way may take together. At the cap further bodies are refused, not queued. */
export class BodyBudget {
  private held = 0;

  constructor(private readonly maxBytes: number) {}

  /** False when there is no room. */
  take(bytes: number): boolean {
    if (this.held + bytes > this.maxBytes) return false;
    this.held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.held -= bytes;
  }
}
