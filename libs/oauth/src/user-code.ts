import { randomInt } from 'node:crypto';

/** Consonants only, so that no code spells a word or looks like digits (RFC 8628, section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
/** Maximum characters of a typed code, separators included. */
const TYPED_MAX = 64;

/** Returns a new random code of the device flow, such as `BCDF-GHJK` (20⁸ possible codes). */
export function newUserCode(): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length)));
  return dashed(letters.join(''));
}

/**
 * Returns a typed code in its canonical form, ignoring case, spaces and hyphens; undefined for an
 * invalid code.
 */
export function userCodeForm(typed: string): string | undefined {
  if (typed.length > TYPED_MAX) return undefined;
  const letters = typed.replaceAll(/[\s-]/g, '');
  return /^[bcdfghjklmnpqrstvwxz]{8}$/i.test(letters) ? dashed(letters.toUpperCase()) : undefined;
}

const dashed = (letters: string): string => `${letters.slice(0, 4)}-${letters.slice(4)}`;
