import { readCases } from '@gw/testing';

export interface IdentifierCase {
  readonly id: string;
  readonly field: string;
  readonly value: string;
  readonly expect: 'accept' | 'reject' | 'either' | '404' | '400 or 404';
  readonly reason: string;
}

const { cases } = readCases('identifiers.json') as { readonly cases: readonly IdentifierCase[] };

/**
 * Id of a case whose description names the Kelvin sign, but which contains the letter to which it
 * normalises.
 */
const KELVIN = 'id-033';

/** Returns names, slugs or path ids with known verdicts, for one kind of field. */
export const identifiersOf = (field: 'slug' | 'display name' | 'path id'): readonly IdentifierCase[] =>
  cases
    .filter((item) => item.field === field)
    .map((item) => (item.id === KELVIN ? { ...item, value: '\u212a' } : item));

/** Returns the rows with titles for `it.each`. */
export const titled = (rows: readonly IdentifierCase[]): [title: string, row: IdentifierCase][] =>
  rows.map((row) => [`${row.id} (${row.reason})`, row]);
