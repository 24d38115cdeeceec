import { inParallel } from '../../../api';
import type { Run, RunRequest } from '../../../gateway';
import type { PreparedCheck, Verdict } from './checks/check';
import { RunBudget } from './run-budget';

/** Requests at once, of all columns together. */
const WIDTH = 4;
/** Characters of an answer that are kept to be shown; checks read all of it. */
const SHOWN_MAX = 20_000;

/** One request of a run: a row in a column. */
export interface TestCall {
  /** Id of the cell; see `cellId`. */
  readonly id: string;
  /** Place of the column. */
  readonly column: number;
  readonly request: RunRequest;
  /** Estimated cost with its judge, in 1e-8 USD; null when unknown. */
  readonly estimate: bigint | null;
  /** Null: the row has no check. */
  readonly check: PreparedCheck | null;
}

/** `left`: the budget was spent before. `failed`: the request brought no answer. */
export type CellStatus = 'running' | 'judging' | 'done' | 'failed' | 'stopped' | 'left';

/** Result of a request. */
export interface Cell {
  readonly status: CellStatus;
  readonly text: string;
  readonly tookMs: number;
  /** In 1e-8 USD; null: not known yet, or never. */
  readonly cost: bigint | null;
  readonly verdict: Verdict | null;
  /** Message of a failure. */
  readonly message: string | null;
  readonly requestId: string | null;
}

export const cellId = (row: number, column: number): string => `${String(row)}:${String(column)}`;

export interface TestRunParts {
  /** Never rejects. */
  readonly send: (request: RunRequest, signal: AbortSignal) => Promise<Run>;
  /** Resolves to the cost of a request in 1e-8 USD; null when unknown. Never rejects. */
  readonly costOf: (run: Run) => Promise<bigint | null>;
  readonly onCell: (id: string, cell: Cell) => void;
  readonly onSpent: (spent: bigint) => void;
}

const NEW_CELL: Cell = {
  status: 'running',
  text: '',
  tookMs: 0,
  cost: null,
  verdict: null,
  message: null,
  requestId: null,
};

/** Sends the requests of a test set, a few at once, until they are done, the budget is spent, or the signal aborts. */
export class TestRun {
  private readonly budget: RunBudget;
  private isSpent = false;
  /** The most that a request of a column has cost: what the next one holds where there is no estimate. */
  private readonly mostOf = new Map<number, bigint>();
  private readonly settling: Promise<void>[] = [];

  constructor(
    private readonly calls: readonly TestCall[],
    limit: bigint,
    private readonly parts: TestRunParts,
  ) {
    this.budget = new RunBudget(limit);
  }

  /** Resolves when all requests have ended and their costs are known. */
  async run(signal: AbortSignal): Promise<{ readonly isSpent: boolean; readonly spent: bigint }> {
    await inParallel(this.calls, WIDTH, signal, (call) => this.take(call, signal));
    await Promise.all(this.settling);
    return { isSpent: this.isSpent, spent: this.budget.spent };
  }

  private async take(call: TestCall, signal: AbortSignal): Promise<void> {
    // A request of unknown cost goes alone; the next ones of its column hold what it has cost.
    const amountOf = (): bigint | null => call.estimate ?? this.mostOf.get(call.column) ?? null;
    const amount = this.isSpent ? null : await this.budget.hold(amountOf);
    if (amount === null) {
      this.isSpent = true;
      this.parts.onCell(call.id, { ...NEW_CELL, status: 'left' });
    } else if (signal.aborted) this.budget.settle(amount, 0n);
    else await this.send(call, amount, signal);
  }

  private async send(call: TestCall, amount: bigint, signal: AbortSignal): Promise<void> {
    this.parts.onCell(call.id, NEW_CELL);
    const run = await this.parts.send(call.request, signal);
    const cell = cellOf(run);
    const check = cell.status === 'done' ? call.check : null;
    this.parts.onCell(call.id, check === null ? cell : { ...cell, status: 'judging' });
    const judged = await check?.judge(run.text, signal);
    const ended = { ...cell, verdict: judged?.verdict ?? null };
    this.parts.onCell(call.id, ended);
    // The next request does not wait for the log of this one, only for what it holds of the budget.
    this.settling.push(this.settle(call, amount, ended, [run, judged?.run].filter(isRun)));
  }

  private async settle(call: TestCall, amount: bigint, cell: Cell, runs: readonly Run[]): Promise<void> {
    const costs = await Promise.all(runs.map((run) => this.parts.costOf(run)));
    const known = costs.filter((cost) => cost !== null);
    const total = known.reduce((sum, cost) => sum + cost, 0n);
    const isKnown = known.length === costs.length;
    // What has no price in its log counts as it was estimated.
    const estimate = call.estimate ?? 0n;
    const cost = isKnown || total > estimate ? total : estimate;
    const most = this.mostOf.get(call.column) ?? 0n;
    if (cell.status === 'done') this.mostOf.set(call.column, cost > most ? cost : most);
    this.budget.settle(amount, cost);
    this.parts.onSpent(this.budget.spent);
    this.parts.onCell(call.id, { ...cell, cost: isKnown ? total : null });
  }
}

const isRun = (run: Run | null | undefined): run is Run => run != null;

function cellOf(run: Run): Cell {
  const status = run.status === 'done' || run.status === 'stopped' ? run.status : 'failed';
  return {
    ...NEW_CELL,
    status,
    text: run.text.slice(0, SHOWN_MAX),
    tookMs: run.tookMs,
    message: run.problem?.message ?? null,
    requestId: run.requestId,
  };
}
