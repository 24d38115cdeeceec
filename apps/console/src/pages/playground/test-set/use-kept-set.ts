import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useWorkspace } from '../../../app';
import type { Check } from './checks/check';
import type { Cell } from './test-run';
import type { TestRow } from './test-set';

/** Milliseconds for which a set is kept that is not shown. */
const KEPT_MS = 1_800_000;

/** A test set with the results of its last run. */
export interface KeptSet {
  readonly rows: readonly TestRow[];
  /** Check for rows without one of their own; null for none. */
  readonly check: Check | null;
  /** Columns of the last run as JSON: results of a column that was changed since then do not count. */
  readonly columns: readonly string[];
  /** Cells by their id. */
  readonly cells: Readonly<Record<string, Cell>>;
  /** In 1e-8 USD. */
  readonly spent: bigint;
  /** The last run ended because its budget was spent. */
  readonly isSpent: boolean;
}

const NEW_SET: KeptSet = { rows: [], check: null, columns: [], cells: {}, spent: 0n, isSpent: false };

export type ChangeSet = (change: (before: KeptSet) => Partial<KeptSet>) => void;

/** The test set of the workspace. It outlives the page, so that a log can be looked at, and is in memory alone. */
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
