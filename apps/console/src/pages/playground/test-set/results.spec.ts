import { countsOf, isBad, resultsCsv, wordOf } from './results';
import type { Cell } from './test-run';
import { newRow } from './test-set';

const cell = (more: Partial<Cell>): Cell => ({
  ...{
    status: 'done',
    text: 'x',
    tookMs: 12.4,
    cost: 342_000n,
    verdict: null,
    message: null,
    requestId: 'r-1',
  },
  ...more,
});
const verdict = (outcome: 'passed' | 'failed' | 'unjudged') => ({ outcome, reason: 'Since.' });

describe('results of a test set', () => {
  it('have a word for each cell, and are counted', () => {
    const cells = [
      cell({ verdict: verdict('passed') }),
      cell({ verdict: verdict('failed') }),
      cell({ verdict: verdict('unjudged') }),
      cell({ status: 'failed' }),
      cell({}),
      cell({ status: 'left' }),
      undefined,
    ];
    expect(cells.map((one) => one && wordOf(one))).toEqual([
      ...['passed', 'failed', 'unjudged', 'error', 'answered', 'left', undefined],
    ]);
    expect(countsOf(cells)).toEqual({ passed: 1, failed: 1, others: 2 });
    expect(isBad([cells[0], undefined, cells[4]])).toBe(false);
    expect(isBad([cells[0], cells[3]])).toBe(true);
  });

  it('are formatted as CSV without formulas', () => {
    const rows = [newRow('=1+1', { values: { input: '@x' } }), newRow('b', {})];
    const text = resultsCsv(rows, ['small'], (row) => [
      row === rows[0] ? cell({ text: '=cmd()', verdict: verdict('passed') }) : undefined,
    ]);
    expect(text.split('\r\n')).toEqual([
      'row,input,small result,small reason,small answer,small cost_usd,small milliseconds,small request_id',
      "'=1+1,'@x,passed,Since.,'=cmd(),0.00342000,12,r-1",
      'b,,,,,,,',
      '',
    ]);
  });
});
