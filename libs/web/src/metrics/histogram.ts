/**
 * Counts values by the first bound that they do not exceed. Plain numbers: an observation costs a
 * walk over the bounds.
 */
export class Histogram {
  /** One count for each bound and a last one for values above all bounds; not cumulative. */
  readonly counts: number[];
  sum = 0;

  /** `bounds` must be in ascending order. */
  constructor(readonly bounds: readonly number[]) {
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at += 1;
    counts[at] = (counts[at] as number) + 1;
    this.sum += value;
  }
}
