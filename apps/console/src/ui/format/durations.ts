import { MINUS, unknown } from './numbers';

/**
 * Formats a duration in milliseconds: below 1 ms in µs, below 1 s in whole ms, below 60 s with two
 * decimals, then as minutes and seconds, then as hours and minutes. Unknown is `–`.
 */
export function duration(ms: number | null | undefined): string {
  if (typeof ms !== 'number' || !Number.isFinite(ms)) return unknown;
  if (ms < 0) return MINUS + duration(-ms);
  if (ms === 0) return '0 ms';
  const micros = Math.round(ms * 1000);
  if (micros < 1000) return `${Math.max(1, micros)} µs`;
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  const hundredths = Math.round(ms / 10);
  if (hundredths < 6000) return `${(hundredths / 100).toFixed(2)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`;
  const minutes = Math.round(ms / 60_000);
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} m`;
}

/** Formats the change of a duration: `−140 ms`, `+1.20 s`. */
export function durationChange(ms: number | null | undefined): string {
  const text = duration(ms);
  return typeof ms === 'number' && ms > 0 ? `+${text}` : text;
}

const two = (value: number): string => String(value).padStart(2, '0');
