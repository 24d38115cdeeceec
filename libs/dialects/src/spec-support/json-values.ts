export type Json = Record<string, unknown>;

export const object = (value: unknown): Json => value as Json;
export const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
/** Returns a text; '' for any other value. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const isGiven = (value: unknown): boolean => value !== null && value !== undefined;
