import { createHash } from 'node:crypto';

const digestOf = (text: string, digits: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, digits);

const isAllZero = (hex: string): boolean => /^0+$/.test(hex);

/** The trace's id as W3C has it; a UUID without its dashes. Callers may choose other texts: the same one gives the same id. */
export function traceIdOf(text: string): string {
  const hex = text.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(hex) && !isAllZero(hex) ? hex : digestOf(text, 32);
}

/** The same for spans. */
export function spanIdOf(text: string): string {
  const hex = text.toLowerCase();
  return /^[0-9a-f]{16}$/.test(hex) && !isAllZero(hex) ? hex : digestOf(text, 16);
}
