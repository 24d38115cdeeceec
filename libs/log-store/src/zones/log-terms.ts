import { LOG_COLUMNS, type ZoneTermColumn } from '../rows/log-columns';

/**
 * Size in bits of each column's Bloom filter, which sets two bits for each value. With 10 values in
 * it, 2 % of other values appear to be present; with 50, 29 %. This size, `TERMS_BITS`, the
 * columns' numbers and the hash below define stored data and must not change.
 */
const COLUMN_BITS = 128;
export const TERMS_BITS = 2_688;

/** Bloom filters of all columns. The first bit is the highest bit of the first number. */
export type Terms = Uint32Array;

export const noTerms = (): Terms => new Uint32Array(TERMS_BITS / 32);

/** Adds a value of a column; a number also adds its hundred (`statusClass`). */
export function addTerm(terms: Terms, name: ZoneTermColumn, value: string | number | boolean): void {
  const column = LOG_COLUMNS[name].zoneBits;
  if (typeof value !== 'number') {
    set(terms, column, hash(String(value)));
    return;
  }
  set(terms, column, hash(String(value)));
  set(terms, column, hash(statusClass(value)));
}

/** Returns the terms of a log whose only known value is this one. */
export function termOf(name: ZoneTermColumn, value: string): Terms {
  const terms = noTerms();
  set(terms, LOG_COLUMNS[name].zoneBits, hash(value));
  return terms;
}

/** Returns the term of all statuses of the same hundred, such as `4xx`. */
export const statusClass = (status: number): string => `${String(Math.floor(status / 100))}xx`;

/** Adds all terms of `part` to `terms`. */
export function mergeTerms(terms: Terms, part: Terms): void {
  for (let i = 0; i < terms.length; i += 1) terms[i] = (terms[i] as number) | (part[i] as number);
}

/** Returns whether `terms` contains all of `part`. */
export const holdsTerms = (terms: Terms, part: Terms): boolean =>
  part.every((bits, i) => (bits & ~(terms[i] as number)) === 0);

/** Returns the terms in Postgres's notation of bit strings. */
export const termsText = (terms: Terms): string =>
  `x${Array.from(terms, (bits) => bits.toString(16).padStart(8, '0')).join('')}`;

function set(terms: Terms, column: number, bits: number): void {
  for (const bit of [bits & (COLUMN_BITS - 1), (bits >>> 7) & (COLUMN_BITS - 1)]) {
    const at = column * COLUMN_BITS + bit;
    terms[at >>> 5] = (terms[at >>> 5] as number) | (1 << (31 - (at & 31)));
  }
}

const REPLACEMENT = 0xff_fd;
const DASH = 0x2d;

/**
 * Returns a 32-bit FNV-1a hash with a final mix. Values that Postgres treats as equal have the same
 * hash: UUIDs in upper case or with other dashes, and texts whose characters Postgres replaces.
 */
function hash(value: string): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < value.length; i += 1) {
    let code = value.charCodeAt(i);
    if (code === DASH || code === 0x7b || code === 0x7d) continue;
    if (code >= 0x41 && code <= 0x5a) code += 0x20;
    else if (code === 0 || (code >= 0xd800 && code <= 0xdfff)) code = REPLACEMENT;
    sum = Math.imul(sum ^ code, 0x01000193);
  }
  sum = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  return sum ^ (sum >>> 13);
}
