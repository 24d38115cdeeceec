/** Length of time that one row of a rollup covers, in minutes. */
export const GRAINS = [15, 60, 360] as const;
export type Grain = (typeof GRAINS)[number];

/** Retention of the rows of each grain, in days. */
export const ROLLUP_RETENTION_DAYS: Readonly<Record<Grain, number>> = {
  15: 32,
  60: 366,
  360: 366,
};
