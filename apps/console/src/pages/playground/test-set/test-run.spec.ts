import { NEW_RUN, type Run, type RunRequest } from '../../../gateway';
import { passed, unjudged, type PreparedCheck } from './checks/check';
import { TestRun, type Cell, type TestCall } from './test-run';

const requestOf = (name: string): RunRequest => ({
  workspaceId: 'w',
  api: 'chat',
  headers: {},
  body: { name },
});
const callOf = (name: string, more: Partial<TestCall> = {}): TestCall => ({
  ...{ id: name, column: 0, request: requestOf(name), estimate: 10n, check: null },
  ...more,
});
const CONTAINS_A: PreparedCheck = {
  judge: (answer) => Promise.resolve({ verdict: passed(answer.includes('a'), ''), run: null }),
};

describe('TestRun', () => {
  let cells: Map<string, Cell>;
  let sent: string[];
  const run = (
    calls: readonly TestCall[],
    limit: bigint,
    {
      answer = (name: string) => ({ text: name }),
      cost = 10n,
      signal = new AbortController().signal,
    }: {
      answer?: (name: string) => Partial<Run> | Promise<Partial<Run>>;
      cost?: bigint | null;
      signal?: AbortSignal;
    } = {},
  ) => {
    cells = new Map();
    sent = [];
    return new TestRun(calls, limit, {
      send: async ({ body }) => {
        const { name } = body as { name: string };
        sent.push(name);
        return { ...NEW_RUN, status: 'done', requestId: name, ...(await answer(name)) };
      },
      costOf: () => Promise.resolve(cost),
      onCell: (id, cell) => void cells.set(id, cell),
      onSpent: () => undefined,
    }).run(signal);
  };
  const statuses = () => [...cells].map(([id, { status }]) => `${id} ${status}`);

  it('judges responses, and keeps the error of failed requests', async () => {
    const calls = ['abc', 'xyz'].map((name) => callOf(name, { check: CONTAINS_A }));
    const failed = { status: 'failed', problem: { message: 'Too many.' } } as unknown as Partial<Run>;
    const ended = await run([...calls, callOf('bad', { check: CONTAINS_A })], 100n, {
      answer: (name) => (name === 'bad' ? failed : { text: name }),
    });
    expect(ended).toEqual({ isSpent: false, isUnpriced: false, spent: 30n });
    expect(cells.get('abc')?.verdict?.outcome).toBe('passed');
    expect(cells.get('xyz')?.verdict?.outcome).toBe('failed');
    expect(cells.get('bad')).toMatchObject({ status: 'failed', verdict: null, message: 'Too many.' });
    expect(cells.get('abc')?.cost).toBe(10n);
  });

  it('does not send requests beyond the budget, and marks them as left', async () => {
    const calls = Array.from({ length: 8 }, (_, n) => callOf(`r${String(n)}`));
    const ended = await run(calls, 45n);
    expect(ended).toEqual({ isSpent: true, isUnpriced: false, spent: 40n });
    expect(sent).toEqual(['r0', 'r1', 'r2', 'r3']);
    expect(statuses().filter((one) => one.endsWith('left'))).toHaveLength(4);
  });

  it('continues while responses cost less than estimated', async () => {
    const ended = await run(
      Array.from({ length: 8 }, (_, n) => callOf(`r${String(n)}`)),
      20n,
      { cost: 1n },
    );
    expect(ended).toEqual({ isSpent: false, isUnpriced: false, spent: 8n });
  });

  it('holds the cost of earlier requests for requests without an estimate', async () => {
    const calls = Array.from({ length: 12 }, (_, n) => callOf(`r${String(n)}`, { estimate: null }));
    const ended = await run(calls, 65n);
    expect(ended.spent).toBe(60n);
    expect(ended.isSpent).toBe(true);
  });

  it('counts a response without a price with its estimate', async () => {
    const ended = await run([callOf('a'), callOf('b')], 100n, { cost: null });
    expect(ended.spent).toBe(20n);
    expect(cells.get('a')?.cost).toBeNull();
  });

  it('sends no more requests of a column after a response whose cost is neither estimated nor known', async () => {
    const calls = Array.from({ length: 6 }, (_, n) => callOf(`r${String(n)}`, { estimate: null }));
    const ended = await run([...calls, callOf('priced', { column: 1 })], 100n, { cost: null });
    expect(ended).toEqual({ isSpent: false, isUnpriced: true, spent: 10n });
    expect(sent).toEqual(['r0', 'priced']);
    expect(statuses().filter((one) => one.endsWith('left'))).toHaveLength(5);
  });

  it('does not say that requests were left for their cost when there were none', async () => {
    const ended = await run([callOf('only', { estimate: null })], 100n, { cost: null });
    expect(ended).toEqual({ isSpent: false, isUnpriced: false, spent: 0n });
  });

  it('counts the cost of the judging model', async () => {
    const judged: PreparedCheck = {
      judge: () => Promise.resolve({ verdict: unjudged('?'), run: { ...NEW_RUN, status: 'done' } }),
    };
    expect((await run([callOf('a', { estimate: 20n, check: judged })], 100n)).spent).toBe(20n);
  });

  it('starts no further request after the abort', async () => {
    const controller = new AbortController();
    const ended = run(
      Array.from({ length: 9 }, (_, n) => callOf(`r${String(n)}`)),
      1_000n,
      {
        signal: controller.signal,
        answer: () => {
          controller.abort();
          return { status: 'stopped' };
        },
      },
    );
    await ended;
    expect(sent.length).toBeLessThanOrEqual(4);
    expect(statuses().every((one) => one.endsWith('stopped'))).toBe(true);
  });
});
