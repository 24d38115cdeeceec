import { useCallback, useEffect, useRef, useState } from 'react';
import { problemFrom } from '../../../api';
import { useWorkspace } from '../../../app';
import { awaitLog, sendRun, type Run } from '../../../gateway';
import { parseE8 } from '../../../ui/format';
import { testSets as text } from '../../../messages/en/test-sets';
import type { PreparedCheck } from './checks/check';
import type { Plan, PlannedCall } from './plan';
import { TestRun, type TestCall } from './test-run';
import type { ChangeSet } from './use-kept-set';

interface StartedRun {
  readonly plan: Plan;
  /** Budget in 1e-8 USD. */
  readonly budget: bigint;
  /** Columns as JSON; see `KeptSet`. */
  readonly columns: readonly string[];
}

export interface TestRunControls {
  readonly isRunning: boolean;
  /** Why a run could not start, which is an invalid check; null otherwise. */
  readonly fault: string | null;
  readonly start: (run: StartedRun) => Promise<void>;
  readonly stop: () => void;
}

/** Reads the cost of a request from its log; null when the log has no price or does not arrive. */
async function costOf(workspaceId: string, run: Run): Promise<bigint | null> {
  // A request without an id did not reach the gateway.
  if (run.requestId === null) return 0n;
  try {
    const log = await awaitLog(workspaceId, run);
    return log === null || log.priced === 'unpriced' ? null : parseE8(log.cost_exact);
  } catch {
    return null;
  }
}

/**
 * Prepares the checks, each distinct one once. Resolves to a sentence that names the row of an
 * invalid check.
 */
async function prepared(
  workspaceId: string,
  calls: readonly PlannedCall[],
): Promise<readonly TestCall[] | string> {
  const { prepareCheck } = await import('./checks/prepare');
  const known = new Map<string, PreparedCheck>();
  const ready: TestCall[] = [];
  for (const { id, column, request, estimate, check, row } of calls) {
    const key = JSON.stringify(check);
    const made = check === null ? null : (known.get(key) ?? (await prepareCheck(workspaceId, check)));
    if (typeof made === 'string') return text.checkFault(row.name, made);
    if (made !== null) known.set(key, made);
    ready.push({ id, column, request, estimate, check: made });
  }
  return ready;
}

/** Runs a test set. Unmounting the component stops the run. */
export function useTestRun(change: ChangeSet): TestRunControls {
  const { id: workspaceId } = useWorkspace();
  const [isRunning, setRunning] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const current = useRef<AbortController | null>(null);
  const stop = useCallback(() => current.current?.abort(), []);
  useEffect(() => stop, [stop]);
  const start = async ({ plan, budget, columns }: StartedRun): Promise<void> => {
    const controller = new AbortController();
    current.current?.abort();
    current.current = controller;
    setFault(null);
    setRunning(true);
    const calls = await prepared(workspaceId, plan.calls).catch(
      (error: unknown) => problemFrom(error).message,
    );
    if (typeof calls === 'string') setFault(calls);
    else {
      change(() => ({ columns, cells: {}, spent: 0n, isSpent: false, isUnpriced: false }));
      // The set can have been cleared or run again, from a page that was opened later, while the
      // costs of this run arrive.
      const changeOwn: ChangeSet = (make) =>
        change((before) => (before.columns === columns ? make(before) : {}));
      const run = new TestRun(calls, budget, {
        send: (request, signal) => sendRun(request, signal, () => undefined),
        costOf: (sent) => costOf(workspaceId, sent),
        onCell: (id, cell) => changeOwn(({ cells }) => ({ cells: { ...cells, [id]: cell } })),
        onSpent: (spent) => changeOwn(() => ({ spent })),
      });
      const { isSpent, isUnpriced } = await run.run(controller.signal);
      if (current.current === controller) changeOwn(() => ({ isSpent, isUnpriced }));
    }
    if (current.current === controller) setRunning(false);
  };
  return { isRunning, fault, start, stop };
}
