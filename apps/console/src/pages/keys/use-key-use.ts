import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { read, type ResponseOf } from '../../api';
import { useCan, useWorkspace } from '../../app';
import { lastDays } from '../list/last-days';
import type { ApiKey } from './key-types';

export type Use = ResponseOf<'analyticsGroups_by'>['data'][number];
/** Use by key id: null for a key without requests; no entry while it is not known. */
export type UseOfKeys = ReadonlyMap<string, Use | null>;

/** Number of keys of one read, which is a page of the list and of the groups. */
const GROUPS_MAX = 100;
const STALE_MS = 60_000;
const COLUMNS = ['requests' as const, 'cost' as const, 'last_seen' as const];

/** Splits the ids of keys into the groups that are read together. */
function chunksOf(rows: readonly ApiKey[] | undefined): readonly string[][] {
  const ids = (rows ?? []).map(({ id }) => id);
  return Array.from({ length: Math.ceil(ids.length / GROUPS_MAX) }, (_, at) =>
    ids.slice(at * GROUPS_MAX, (at + 1) * GROUPS_MAX),
  );
}

/**
 * Requests, cost and last use of listed keys in 30 days; null when the caller may not see it.
 */
export function useKeyUse(rows: readonly ApiKey[] | undefined): UseOfKeys | null {
  const { id: workspace_id } = useWorkspace();
  const can = useCan('analyticsGroups_by');
  const chunks = useMemo(() => (can ? chunksOf(rows) : []), [can, rows]);
  const reads = useQueries({
    queries: chunks.map((ids) =>
      read(
        'analyticsGroups_by',
        {
          path: { groupBy: 'api_key' },
          query: {
            ...lastDays(30),
            workspace_id,
            columns: COLUMNS,
            page_size: GROUPS_MAX,
            api_key_ids: ids,
          },
        },
        { staleTime: STALE_MS },
      ),
    ),
    combine: (results) => results.map(({ data }) => data?.data),
  });
  return useMemo(() => {
    if (!can) return null;
    const known = new Map<string, Use | null>();
    for (const [at, ids] of chunks.entries()) {
      const groups = reads[at];
      if (groups === undefined) continue;
      for (const id of ids) known.set(id, groups.find(({ group_key }) => group_key === id) ?? null);
    }
    return known;
  }, [can, chunks, reads]);
}
