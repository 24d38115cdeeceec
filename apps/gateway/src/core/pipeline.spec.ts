import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ORDER, TIMED_STAGES } from './order';

const DOCUMENT = resolve(__dirname, '../../../../docs/request-lifecycle.md');

describe('ORDER', () => {
  it('matches docs/request-lifecycle.md, which lists stages and around stages with settlement at the end', () => {
    const [table = ''] = /^\| Stage \|[^]*?\n\n/m.exec(readFileSync(DOCUMENT, 'utf8')) ?? [];
    const rows = table.trimEnd().split('\n').slice(2);
    const names = ORDER.map((entry) => ('stage' in entry ? entry.stage : `around: ${entry.around}`));
    expect(rows.map((row) => row.split('|')[1]?.trim())).toEqual([...names, 'settle']);
  });

  it('keeps the stage names that existing log records use', () => {
    expect(TIMED_STAGES).toEqual([
      'accept',
      'authenticate',
      'receive',
      'validate',
      'resolve',
      'admit',
      'attempt',
      'reply',
      'settle',
    ]);
  });
});
