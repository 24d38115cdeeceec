/** A rate of the analytics, which are in percent, as a ratio from 0 to 1. */
export const ratioOf = (percent: number | null | undefined): number | null =>
  percent === null || percent === undefined ? null : percent / 100;
