/** Returns whether a member name would access the JavaScript object instead of its data. */
export const isForbiddenName = (name: string): boolean =>
  name === '__proto__' || name === 'constructor' || name === 'prototype';
