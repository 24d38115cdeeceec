import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = resolve(__dirname, '../../../testdata');

const VERDICTS: readonly unknown[] = ['accept', 'reject', 'either'];

/**
 * Expectations by file, for files that have the same ones in all cases. Specs often treat the last
 * one as the rest, so that they would accept any outcome of a case with an unknown expectation.
 */
const EXPECTATIONS: ReadonlyMap<string, readonly unknown[]> = new Map([
  ['bodies.json', VERDICTS],
  ['configs.json', VERDICTS],
  ['forward_headers.json', VERDICTS],
  ['identifiers.json', [...VERDICTS, '404', '400 or 404']],
  ['oauth.json', VERDICTS],
  ['policies.json', VERDICTS],
  ['queries.json', VERDICTS],
  ['scim.json', [...VERDICTS, '401', '415']],
  ['ssrf.json', VERDICTS],
  ['ssrf_network.json', VERDICTS],
]);

/**
 * Reads inputs with known verdicts from a file of `testdata/`, such as `ssrf.json`. Throws an error
 * for an expectation that the specs of the file do not understand.
 */
export function readCases(file: string): unknown {
  const content = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as object;
  assertExpectations(file, content);
  return content;
}

interface Case {
  readonly id?: unknown;
  readonly expect?: unknown;
}

/** Throws an error for a case whose expectation is none of its file. */
export function assertExpectations(file: string, content: object): void {
  const known = EXPECTATIONS.get(file);
  if (known === undefined) return;
  const lists = Object.values(content).filter((part: unknown) => Array.isArray(part)) as Case[][];
  for (const { id, expect } of lists.flat())
    if (expect !== undefined && !known.includes(expect))
      throw new Error(
        `${file}: the case ${String(id)} has the unknown expectation ${JSON.stringify(expect)}`,
      );
}
