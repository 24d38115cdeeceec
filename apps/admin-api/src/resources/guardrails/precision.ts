/**
 * Share of correct verdicts among a check's failed verdicts, estimated from reviewed verdicts.
 * Values are from 0 to 1.
 */
export interface Precision {
  readonly estimate: number;
  /** Lower end of the 95 % confidence interval. */
  readonly low: number;
  /** Upper end of the 95 % confidence interval. */
  readonly high: number;
}

/** Quantile of the normal distribution for a two-sided interval of 95 %. */
const Z = 1.959_964;

/**
 * Estimates the precision with Wilson's score interval, which is also valid for few or one-sided
 * marks. Returns null without marks. The estimate is biased if reviewers mark mainly wrong
 * verdicts.
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
