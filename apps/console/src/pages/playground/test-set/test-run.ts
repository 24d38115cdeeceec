import { inParallel } from '../../../api';
import type { Run, RunRequest } from '../../../gateway';
import type { PreparedCheck, Verdict } from './checks/check';
import { RunBudget } from './run-budget';

/** Number of parallel requests of all columns together. */
const WIDTH = 4;
/** Maximum number of characters of a response that are kept for display; checks read all of it. */
const SHOWN_MAX = 20_000;

/** One request of a run: a row in a column. */
export interface TestCall {
  /** Id of the cell; see `cellId`. */
  readonly id: string;
  /** Index of the column. */
  readonly column: number;
  readonly request: RunRequest;
  /** Estimated cost with its judge, in 1e-8 USD; null when unknown. */
  readonly estimate: bigint | null;
  /** Check of the row; null for none. */
  readonly check: PreparedCheck | null;
}

/**
 * `left`: not sent because the budget was spent or cannot bound the column. `failed`: the request
 * has no successful response.
 */
export type CellStatus = 'running' | 'judging' | 'done' | 'failed' | 'stopped' | 'left';

/** Result of a request. */
export interface Cell {
  readonly status: CellStatus;
  readonly text: string;
  readonly tookMs: number;
  /** Cost in 1e-8 USD; null when unknown. */
  readonly cost: bigint | null;
  readonly verdict: Verdict | null;
  /** Error message; null for none. */
  readonly message: string | null;
  readonly requestId: string | null;
}

/** How a run has ended. */
export interface TestRunEnd {
  readonly isSpent: boolean;
  /** True when a column ended early because the cost of its requests is not known. */
  readonly isUnpriced: boolean;
  /** Cost in 1e-8 USD. */
  readonly spent: bigint;
}

export const cellId = (row: number, column: number): string => `${String(row)}:${String(column)}`;

export interface TestRunParts {
  /** Sends a request. Never rejects. */
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

/**
 * Sends the requests of a test set, a few in parallel, until all are done, the budget is spent, or
 * the signal aborts. A column ends after a response whose cost is neither estimated nor known.
 */
export class TestRun {
  private readonly budget: RunBudget;
  private isSpent = false;
  private isUnpriced = false;
  /** Columns whose requests have neither an estimate nor a known cost, so nothing bounds them. */
  private readonly unpriced = new Set<number>();
  /**
   * Highest cost of a request by column, which the next request of the column holds when it has no
   * estimate.
   */
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
  async run(signal: AbortSignal): Promise<TestRunEnd> {
    await inParallel(this.calls, WIDTH, signal, (call) => this.take(call, signal));
    await Promise.all(this.settling);
    return { isSpent: this.isSpent, isUnpriced: this.isUnpriced, spent: this.budget.spent };
  }

  private async take(call: TestCall, signal: AbortSignal): Promise<void> {
    // A request of unknown cost runs alone; the next requests of its column hold its actual cost.
    const amountOf = (): bigint | null => call.estimate ?? this.mostOf.get(call.column) ?? null;
    const amount = this.isSpent ? null : await this.budget.hold(amountOf);
    if (amount === null) {
      this.isSpent = true;
      this.parts.onCell(call.id, { ...NEW_CELL, status: 'left' });
    } else if (signal.aborted) this.budget.settle(amount, 0n);
    else if (call.estimate === null && this.unpriced.has(call.column)) {
      this.isUnpriced = true;
      this.budget.settle(amount, 0n);
      this.parts.onCell(call.id, { ...NEW_CELL, status: 'left' });
    } else await this.send(call, amount, signal);
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
    // Settles in the background: the next request waits for the held amount only, not for the log.
    this.settling.push(this.settle(call, amount, ended, [run, judged?.run].filter(isRun)));
  }

  private async settle(call: TestCall, amount: bigint, cell: Cell, runs: readonly Run[]): Promise<void> {
    const costs = await Promise.all(runs.map((run) => this.parts.costOf(run)));
    const known = costs.filter((cost) => cost !== null);
    const total = known.reduce((sum, cost) => sum + cost, 0n);
    const isKnown = known.length === costs.length;
    // A request without a price in its log counts with its estimate, or with the highest cost of its
    // column so far.
    const most = this.mostOf.get(call.column);
    const estimate = call.estimate ?? most ?? 0n;
    const cost = isKnown || total > estimate ? total : estimate;
    if (cell.status === 'done') {
      if (isKnown) this.mostOf.set(call.column, most === undefined || cost > most ? cost : most);
      else if (call.estimate === null && most === undefined) this.unpriced.add(call.column);
    }
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
