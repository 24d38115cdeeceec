import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useWorkspace } from '../../../app';
import type { Check } from './checks/check';
import type { Cell } from './test-run';
import type { TestRow } from './test-set';

/** Milliseconds for which a set that is not shown stays in memory. */
const KEPT_MS = 1_800_000;

/** A test set with the results of its last run. */
export interface KeptSet {
  readonly rows: readonly TestRow[];
  /** Check of rows that have no own check; null for none. */
  readonly check: Check | null;
  /** Columns of the last run as JSON; results of a column that has changed since are not shown. */
  readonly columns: readonly string[];
  /** Cells by their id. */
  readonly cells: Readonly<Record<string, Cell>>;
  /** Cost of the last run in 1e-8 USD. */
  readonly spent: bigint;
  /** True when the last run ended because its budget was spent. */
  readonly isSpent: boolean;
  /** True when a column of the last run ended early because the cost of its requests is not known. */
  readonly isUnpriced: boolean;
}

const NEW_SET: KeptSet = {
  ...{ rows: [], check: null, columns: [], cells: {} },
  ...{ spent: 0n, isSpent: false, isUnpriced: false },
};

export type ChangeSet = (change: (before: KeptSet) => Partial<KeptSet>) => void;

/**
 * The test set of the workspace, in memory only. It outlives the page, so that the user can open a
 * log and return.
 */
export function useKeptSet(): readonly [KeptSet, ChangeSet] {
  const { id: workspaceId } = useWorkspace();
  const queries = useQueryClient();
  const queryKey = useMemo(() => ['test-set', workspaceId] as const, [workspaceId]);
  const { data = NEW_SET } = useQuery<KeptSet>({
    queryKey,
    queryFn: skipToken,
    staleTime: Infinity,
    gcTime: KEPT_MS,
    structuralSharing: false,
  });
  const change = useCallback<ChangeSet>(
    (changed) =>
      queries.setQueryData<KeptSet>(queryKey, (before = NEW_SET) => ({ ...before, ...changed(before) })),
    [queries, queryKey],
  );
  return [data, change];
}
