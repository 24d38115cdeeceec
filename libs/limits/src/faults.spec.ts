import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCases } from '@gw/testing';

const ROOT = resolve(__dirname, '..', '..', '..');
const SPEC = /\.(?:int-|e2e-)?spec\.ts$/;
/** Titles of tests, of tables of tests, and the rows of such tables. */
const TITLED = /\b(?:it|test)(?:\.each)?\b[\s\S]{0,600}?=>/g;

const specs = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && SPEC.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name));

describe('the races of budgets and rate limits', () => {
  it('have a test for each of their rows, and no test is of a row that is not there', () => {
    const { budget } = readCases('faults.json') as { budget: { id: string }[] };
    const rows = budget.map(({ id }) => id);
    const tested = new Set<string>();
    for (const path of ['apps', 'libs', 'e2e'].flatMap(specs)) {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('bud-')) continue;
      for (const [title] of text.matchAll(TITLED))
        for (const [id] of title.matchAll(/\bbud-\d\d\b/g)) tested.add(id);
    }
    expect(rows).toHaveLength(29);
    expect([...tested].sort()).toEqual(rows);
  });
});
