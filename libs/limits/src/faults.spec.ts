import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCases } from '@gw/testing';

const E2E = resolve(__dirname, '..', '..', '..', 'e2e');
/** Starts three gateway processes over one Redis. */
const FLEET = 'withSpending(';
/** Matches titles of tests, of test tables, and the rows of such tables. */
const TITLED = /\b(?:it|test)(?:\.each)?\b[\s\S]{0,600}?=>/g;

describe('end-to-end tests of limit races', () => {
  it('include a test with three gateway processes for every row of faults.json, and for no other id', () => {
    const { budget } = readCases('faults.json') as { budget: { id: string }[] };
    const rows = budget.map(({ id }) => id);
    const tested = new Set<string>();
    for (const name of readdirSync(E2E).filter((each) => each.endsWith('.e2e-spec.ts'))) {
      const text = readFileSync(join(E2E, name), 'utf8');
      if (!text.includes(FLEET)) continue;
      for (const [title] of text.matchAll(TITLED))
        for (const [id] of title.matchAll(/\bbud-\d\d\b/g)) tested.add(id);
    }
    expect(rows).toHaveLength(29);
    expect([...tested].sort()).toEqual(rows);
  });
});
