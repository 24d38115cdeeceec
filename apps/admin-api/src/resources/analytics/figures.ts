import { UNITS_PER_CENT } from '@gw/kernel';

/** 0 where there is nothing to divide by. */
export const ratio = (value: number, by: number): number => (by === 0 ? 0 : value / by);

/** 1e-8 USD to US cents. */
export const toCents = (units: number): number => units / UNITS_PER_CENT;

/** Microseconds to milliseconds. */
export const toMs = (microseconds: number): number => microseconds / 1_000;

export const toIso = (ms: number): string => new Date(ms).toISOString();
