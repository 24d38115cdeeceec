/** Member names that reach into JavaScript objects instead of data. */
export const isForbiddenName = (name: string): boolean =>
  name === '__proto__' || name === 'constructor' || name === 'prototype';
