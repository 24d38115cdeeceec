import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = resolve(__dirname, '../../../testdata');

/** Reads inputs with known verdicts from a file of `testdata/`, such as `ssrf.json`. */
export const readCases = (file: string): unknown =>
  JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as unknown;
