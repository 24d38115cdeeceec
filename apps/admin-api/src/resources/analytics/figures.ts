import { UNITS_PER_CENT } from '@gw/kernel';

/** Returns 0 when the divisor is 0. */
export const ratio = (value: number, by: number): number => (by === 0 ? 0 : value / by);

/** Converts units of 1e-8 USD to US cents. */
export const toCents = (units: number): number => units / UNITS_PER_CENT;

/** Converts microseconds to milliseconds. */
export const toMs = (microseconds: number): number => microseconds / 1_000;

export const toIso = (ms: number): string => new Date(ms).toISOString();
