/** Member names that reach into JavaScript objects instead of data. */
export const isForbiddenName = (name: string): boolean =>
  name === '__proto__' || name === 'constructor' || name === 'prototype';

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
