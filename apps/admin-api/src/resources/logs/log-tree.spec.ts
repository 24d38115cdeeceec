import fc from 'fast-check';
import type { LogResponse } from '../../platform/logs/log-responses.dto';
import { logTree, type LogTreeNode } from './log-tree';

const log = (id: string, span: string | null, parent: string | null, at = 0): LogResponse =>
  ({ id, span_id: span, parent_span_id: parent, created_at: new Date(at).toISOString() }) as LogResponse;
const shape = ({ log: { id }, children }: LogTreeNode): unknown => [id, children.map(shape)];

describe('logTree', () => {
  it('places each span below its parent, ordered by time', () => {
    const logs = [
      log('c', 's3', 's1', 3),
      log('b', 's2', 's1', 2),
      log('d', null, 's2', 4),
      log('a', 's1', null, 9),
    ];
    expect(logTree(logs).map(shape)).toEqual([
      [
        'a',
        [
          ['b', [['d', []]]],
          ['c', []],
        ],
      ],
    ]);
  });

  it('places spans without a known parent at the top level, and breaks cycles', () => {
    expect(
      logTree([
        log('a', 's1', 'gone', 1),
        log('b', 's2', 's3', 2),
        log('c', 's3', 's2', 3),
        log('d', 's4', 's4', 4),
      ]).map(shape),
    ).toEqual([
      ['a', []],
      ['c', [['b', []]]],
      ['d', []],
    ]);
  });

  it('contains every log exactly once for any references to parents', () => {
    const span = fc.option(fc.constantFrom('1', '2', '3', '4'));
    fc.assert(
      fc.property(fc.array(fc.tuple(span, span, fc.nat(3)), { maxLength: 12 }), (spans) => {
        const logs = spans.map(([own, parent, at], i) => log(String(i), own, parent, at));
        const ids: string[] = [];
        const visit = (node: LogTreeNode): void => {
          ids.push(node.log.id);
          node.children.forEach(visit);
        };
        logTree(logs).forEach(visit);
        expect(ids.sort()).toEqual(logs.map(({ id }) => id).sort());
      }),
    );
  });
});
