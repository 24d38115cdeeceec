import { act, renderHook, waitFor } from '@testing-library/react';
import { awaitLog, NEW_RUN, sendRun, type Run } from '../../../gateway';
import type { Plan } from './plan';
import { newRow } from './test-set';
import type { KeptSet } from './use-kept-set';
import { useTestRun } from './use-test-run';

jest.mock('../../../app', () => ({ useWorkspace: () => ({ id: 'w-1' }) }));
jest.mock('../../../gateway', () => ({
  ...jest.requireActual<object>('../../../gateway'),
  sendRun: jest.fn(),
  awaitLog: jest.fn(),
}));

const PLAN: Plan = {
  calls: [
    {
      ...{ id: '1:0', row: newRow('Oslo', {}), column: 0, check: null, estimate: 1n },
      request: { workspaceId: 'w-1', api: 'chat', headers: {}, body: {} },
    },
  ],
  estimate: 1n,
  unknown: 0,
};
const DONE: Run = { ...NEW_RUN, status: 'done', text: 'First', requestId: 'r-1', traceId: 't-1' };

describe('useTestRun', () => {
  it('ignores costs of an earlier run that arrive during the next one', async () => {
    let set: KeptSet = {
      rows: [],
      check: null,
      columns: [],
      cells: {},
      spent: 0n,
      isSpent: false,
      isUnpriced: false,
    };
    const hook = () =>
      renderHook(() =>
        useTestRun((change) => {
          set = { ...set, ...change(set) };
        }),
      );
    let price: (log: never) => void = () => undefined;
    jest.mocked(awaitLog).mockReturnValue(
      new Promise((resolve) => {
        price = resolve;
      }),
    );
    jest.mocked(sendRun).mockResolvedValueOnce(DONE);
    const first = hook();
    let ended: Promise<void> = Promise.resolve();
    act(() => {
      ended = first.result.current.start({ plan: PLAN, budget: 10n, columns: ['a'] });
    });
    await waitFor(() => expect(set.cells['1:0']?.text).toBe('First'));
    first.unmount();
    jest.mocked(sendRun).mockReturnValueOnce(new Promise(() => undefined));
    const second = hook();
    act(() => void second.result.current.start({ plan: PLAN, budget: 10n, columns: ['a'] }));
    await waitFor(() => expect(set.cells['1:0']?.status).toBe('running'));
    price({ cost_exact: '5', priced: 'priced' } as never);
    await act(() => ended);
    expect([set.cells['1:0']?.status, set.spent]).toEqual(['running', 0n]);
  });
});
