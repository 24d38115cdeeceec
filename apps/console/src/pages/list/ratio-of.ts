/** Converts an analytics rate in percent to a ratio from 0 to 1; null when unknown. */
export const ratioOf = (percent: number | null | undefined): number | null =>
  percent === null || percent === undefined ? null : percent / 100;
