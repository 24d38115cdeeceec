import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { STAGE_ORDER, TIMED_STAGES } from './pipeline';

const DOCUMENT = resolve(__dirname, '../../../../docs/request-lifecycle.md');

describe('STAGE_ORDER', () => {
  it('is the order in which docs/request-lifecycle.md lists the stages, with settlement at the end', () => {
    const [table = ''] = /^\| Stage \|[^]*?\n\n/m.exec(readFileSync(DOCUMENT, 'utf8')) ?? [];
    const rows = table.trimEnd().split('\n').slice(2);
    expect(rows.map((row) => row.split('|')[1]?.trim())).toEqual([...STAGE_ORDER, 'settle']);
  });

  it('times the stages that log records have always named', () => {
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
