/** Memory in which bytes of responses are counted, such as a `Share` of it. */
export interface ResponseMemory {
  /** Reserves bytes. Returns false, and reserves nothing, when there is not enough room. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** Memory that one call reserves. `end` frees all of it; nothing is counted afterwards. */
export class HeldMemory implements ResponseMemory {
  private held = 0;
  private isEnded = false;

  constructor(private readonly memory: ResponseMemory) {}

  take(bytes: number): boolean {
    if (this.isEnded) return true;
    if (!this.memory.take(bytes)) return false;
    this.held += bytes;
    return true;
  }

  give(bytes: number): void {
    if (this.isEnded) return;
    this.memory.give(bytes);
    this.held -= bytes;
  }

  end(): void {
    this.give(this.held);
    this.isEnded = true;
  }
}
