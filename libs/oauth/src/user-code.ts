import { randomInt } from 'node:crypto';

/** Consonants: no code spells a word, and none is mistaken for a digit (RFC 8628, 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
/** More than people type between the letters. */
const TYPED_MAX = 64;

/** A new code of the device flow, such as `BCDF-GHJK`: one of 20⁸. */
export function newUserCode(): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length)));
  return dashed(letters.join(''));
}

/** A typed code in the form in which codes are compared; undefined for what can be none. Case, spaces and hyphens do not count. */
export function userCodeForm(typed: string): string | undefined {
  if (typed.length > TYPED_MAX) return undefined;
  const letters = typed.replaceAll(/[\s-]/g, '');
  return /^[bcdfghjklmnpqrstvwxz]{8}$/i.test(letters) ? dashed(letters.toUpperCase()) : undefined;
}

const dashed = (letters: string): string => `${letters.slice(0, 4)}-${letters.slice(4)}`;
