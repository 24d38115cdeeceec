/** Memory in which bytes of responses are counted, such as a `Share` of it. */
export interface ResponseMemory {
  /** False when there is no room for so many more bytes; nothing is taken then. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** Memory that one call holds; `end` returns all of it, and nothing is counted after it. */
export class HeldMemory implements ResponseMemory {
  private held = 0;
  private isEnded = false;

  constructor(private readonly of: ResponseMemory) {}

  take(bytes: number): boolean {
    if (this.isEnded) return true;
    if (!this.of.take(bytes)) return false;
    this.held += bytes;
    return true;
  }

  give(bytes: number): void {
    if (this.isEnded) return;
    this.of.give(bytes);
    this.held -= bytes;
  }

  end(): void {
    this.give(this.held);
    this.isEnded = true;
  }
}
