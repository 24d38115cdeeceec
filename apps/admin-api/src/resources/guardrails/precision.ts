/** Of what a check flagged, the share that was right; an estimate from what people have looked at. All are shares of 1. */
export interface Precision {
  readonly estimate: number;
  /** The true share lies between these, 95 times of 100. */
  readonly low: number;
  readonly high: number;
}

/** Quantile of the normal distribution for 95 %. */
const Z = 1.959_964;

/**
 * By Wilson's score interval, which holds for few and for one-sided marks too. Null: nothing is marked. It speaks for all verdicts only as
 * far as those that were marked were not chosen for being wrong.
 */
export function precisionOf(right: number, wrong: number): Precision | null {
  const count = right + wrong;
  if (count === 0) return null;
  const share = right / count;
  const square = Z * Z;
  const centre = (share + square / (2 * count)) / (1 + square / count);
  const spread =
    (Z / (1 + square / count)) * Math.sqrt((share * (1 - share)) / count + square / (4 * count * count));
  return {
    estimate: rounded(share),
    low: rounded(Math.max(0, centre - spread)),
    high: rounded(Math.min(1, centre + spread)),
  };
}

export const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;
