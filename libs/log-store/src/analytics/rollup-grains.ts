/** Minutes that one row covers. */
export const GRAINS = [15, 60, 360] as const;
export type Grain = (typeof GRAINS)[number];

/** Days that rows of each grain are kept. */
export const ROLLUP_RETENTION_DAYS: Readonly<Record<Grain, number>> = {
  15: 32,
  60: 366,
  360: 366,
};
