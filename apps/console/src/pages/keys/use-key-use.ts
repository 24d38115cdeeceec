import { useMemo } from 'react';
import { useRead, type ResponseOf } from '../../api';
import { useCan, useWorkspace } from '../../app';
import { lastDays } from '../list/last-days';
import type { ApiKey } from './key-types';

export type Use = ResponseOf<'analyticsGroups_by'>['data'][number];

const GROUPS_MAX = 100;
const STALE_MS = 60_000;

/**
 * Requests, cost and last use of listed keys in 30 days, by key id; null when the caller may not
 * see it.
 */
export function useKeyUse(rows: readonly ApiKey[] | undefined): ReadonlyMap<string, Use> | null {
  const workspace = useWorkspace();
  const can = useCan('analyticsGroups_by');
  const ids = useMemo(() => (rows ?? []).slice(0, GROUPS_MAX).map(({ id }) => id), [rows]);
  const { data } = useRead(
    'analyticsGroups_by',
    {
      path: { groupBy: 'api_key' },
      query: {
        ...lastDays(30),
        workspace_id: workspace.id,
        columns: ['requests', 'cost', 'last_seen'],
        page_size: GROUPS_MAX,
        api_key_ids: ids,
      },
    },
    { staleTime: STALE_MS, enabled: can && ids.length > 0 },
  );
  return useMemo(
    () => (can ? new Map((data?.data ?? []).map((row) => [row.group_key ?? '', row])) : null),
    [can, data],
  );
}
