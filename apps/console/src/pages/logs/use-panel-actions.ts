import { useCallback, useLayoutEffect, useMemo, useRef } from 'react';
import type { LogRow } from '../../live';
import { joinFilters } from '../../ui/filters';
import type { Filter, PageState } from '../../url';
import { normalised } from './filters/log-query';
import type { Change } from './use-logs-state';

/**
 * Actions of the open log that change the address. The functions are stable references, so that the
 * panel renders again only for another log.
 */
export function usePanelActions(state: PageState, rows: readonly LogRow[], change: Change) {
  const latest = useRef({ state, rows });
  useLayoutEffect(() => {
    latest.current = { state, rows };
  });
  const filterBy = useCallback(
    (filter: Filter): void =>
      change({ filters: normalised(joinFilters(latest.current.state.filters, [filter])) }),
    [change],
  );
  const step = useCallback(
    (by: 1 | -1): void => {
      const { rows: listed, state: now } = latest.current;
      const at = listed.findIndex(({ id }) => id === now.log);
      const next = listed[at + by];
      if (at >= 0 && next !== undefined) change({ log: next.id });
    },
    [change],
  );
  const panel = useMemo(
    () => ({
      onTab: (tab: string) => change({ tab }),
      onOpen: (log: string) => change({ log }, 'push'),
      onClose: () => change({ log: '', tab: 'why' }, 'push'),
    }),
    [change],
  );
  return { filterBy, step, panel };
}
