import { hash } from 'node:crypto';

const digestOf = (text: string, digits: number): string => hash('sha256', text).slice(0, digits);

const isAllZero = (hex: string): boolean => /^0+$/.test(hex);

/**
 * Converts a trace id to the W3C form: a UUID loses its dashes, any other text is hashed, the same
 * text always to the same id.
 */
export function traceIdOf(text: string): string {
  const hex = text.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(hex) && !isAllZero(hex) ? hex : digestOf(text, 32);
}

/** Converts a span id in the same way. */
export function spanIdOf(text: string): string {
  const hex = text.toLowerCase();
  return /^[0-9a-f]{16}$/.test(hex) && !isAllZero(hex) ? hex : digestOf(text, 16);
}

/** Id of the span of a request's call to a provider or server, by its place among the calls that were made. */
export const callSpanId = (requestId: string, at: number): string => spanIdOf(`${requestId} ${String(at)}`);
