import { UNITS_PER_CENT } from '@gw/kernel';

/** Returns the quotient; 0 when the divisor is 0. */
export const ratio = (value: number, divisor: number): number => (divisor === 0 ? 0 : value / divisor);

/** Converts units of 1e-8 USD to US cents. */
export const toCents = (units: number): number => units / UNITS_PER_CENT;

/** Converts microseconds to milliseconds. */
export const toMs = (microseconds: number): number => microseconds / 1_000;

export const toIso = (ms: number): string => new Date(ms).toISOString();
