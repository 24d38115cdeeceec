import type { RunRequest } from '../../../gateway';
import type { Draft } from '../draft/draft';
import { canSend, requestOf } from '../draft/request';
import type { ColumnSettings, PlaygroundSettings } from '../search';
import type { Check } from './checks/check';
import { judgeRequest } from './checks/judge';
import { ASSUMED_OUTPUT, estimateOf, type TokenPrices } from './estimate';
import { cellId } from './test-run';
import { draftOf, type TestRow } from './test-set';

/** Text of the assumed length of a response, for the estimate of judging it. */
const RESPONSE = 'word'.repeat(ASSUMED_OUTPUT);

/** Target and model of a column or of a judge. */
type Way = Pick<ColumnSettings, 'target' | 'model'>;

/** Returns the prices of a model at a target; null when unknown. */
export type PricesFor = (way: Way) => TokenPrices | null;

/** A request that a run would send. */
export interface PlannedCall {
  readonly id: string;
  readonly row: TestRow;
  readonly column: number;
  readonly request: RunRequest;
  readonly check: Check | null;
  /** Estimated cost with its judge in 1e-8 USD; null when unknown. */
  readonly estimate: bigint | null;
}

export interface Plan {
  readonly calls: readonly PlannedCall[];
  /** Sum of the estimates in 1e-8 USD. */
  readonly estimate: bigint;
  /** Number of calls without an estimate. */
  readonly unknown: number;
}

interface PlanParts {
  readonly workspaceId: string;
  readonly settings: PlaygroundSettings;
  readonly draft: Draft;
  readonly rows: readonly TestRow[];
  /** Check of rows that have no own check. */
  readonly check: Check | null;
  readonly pricesFor: PricesFor;
}

function judgeEstimate(workspaceId: string, check: Check | null, pricesFor: PricesFor): bigint | null {
  if (check?.kind !== 'judge') return 0n;
  return estimateOf(judgeRequest(workspaceId, check, RESPONSE), pricesFor(check));
}

/**
 * Plans all requests of a run, row by row, with their estimated cost. Omits columns and rows that
 * cannot be sent.
 */
export function planOf({ workspaceId, settings, draft, rows, check, pricesFor }: PlanParts): Plan {
  const calls = rows.flatMap((row) => {
    const own = draftOf(row, draft);
    const sent = { ...settings, api: row.api ?? settings.api };
    const judging = row.check ?? check;
    const judged = judgeEstimate(workspaceId, judging, pricesFor);
    return settings.columns.flatMap((column, place): readonly PlannedCall[] => {
      if (!canSend(sent, column, own)) return [];
      const request = requestOf(workspaceId, sent, column, own);
      const answered = estimateOf(request, pricesFor(column));
      const estimate = answered === null || judged === null ? null : answered + judged;
      return [{ id: cellId(row.id, place), row, column: place, request, check: judging, estimate }];
    });
  });
  return {
    calls,
    estimate: calls.reduce((sum, { estimate }) => sum + (estimate ?? 0n), 0n),
    unknown: calls.filter(({ estimate }) => estimate === null).length,
  };
}
