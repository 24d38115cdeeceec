import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Dropped, PageState } from '../../url';
import { decodeLogs, logsSearch } from './search';

const route = getRouteApi('/session/w/$ws/logs');

/** Changes the state. Replaces the current history entry; `push` adds a new one. */
export type Change = (change: Partial<PageState>, how?: 'replace' | 'push') => void;

export interface LogsState {
  readonly state: PageState;
  /** Parameters of the address that are invalid and ignored. */
  readonly dropped: readonly Dropped[];
  readonly change: Change;
}

/** State of the list in the address, with functions that change it. */
export function useLogsState(): LogsState {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { state, dropped } = useMemo(() => decodeLogs(search), [search]);
  const change = useCallback<Change>(
    (changed, how = 'replace') =>
      void navigate({
        search: (before) => logsSearch({ ...decodeLogs(before).state, ...changed }),
        replace: how === 'replace',
      }),
    [navigate],
  );
  return { state, dropped, change };
}
