const PER_SECOND_MAX = 20;

/** Bounds what a server can make the gateway send to a client: 20 messages of a kind in each second. */
export class MessageRate {
  private second = -1;
  private count = 0;

  /** False for a message that is left out; later ones replace it. */
  allows(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.second) [this.second, this.count] = [second, 0];
    this.count += 1;
    return this.count <= PER_SECOND_MAX;
  }
}
