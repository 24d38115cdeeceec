import { hash } from 'node:crypto';

const digestOf = (text: string, digits: number): string => hash('sha256', text).slice(0, digits);

const isAllZero = (hex: string): boolean => /^0+$/.test(hex);

/**
 * Converts a trace id to the W3C form: a UUID loses its dashes, any other text is hashed, the same
 * text always to the same id.
 */
export function traceIdOf(text: string): string {
  if (UUID.test(text)) return withoutDashes(text);
  const hex = text.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(hex) && !isAllZero(hex) ? hex : digestOf(text, 32);
}

/** A UUID in lower case, as most trace ids are, other than one of zeros alone. */
const UUID = /^(?!0{8}-0{4}-0{4}-0{4}-0{12})[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const withoutDashes = (uuid: string): string =>
  uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24);

/** Converts a span id in the same way. */
export function spanIdOf(text: string): string {
  const hex = text.toLowerCase();
  return /^[0-9a-f]{16}$/.test(hex) && !isAllZero(hex) ? hex : digestOf(text, 16);
}

/**
 * Returns the span id of a request's call to a provider or server. `at`: index of the call among
 * those of the request.
 */
export const callSpanId = (requestId: string, at: number): string =>
  digestOf(`${requestId} ${String(at)}`, 16);
