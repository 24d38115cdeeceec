import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { call, openStream, type ResponseOf, type QueryOf } from '../api';
import { useSelf } from '../app';
import { sharedSource } from './shared-source';
import { ROWS_MAX, Tail, type TailSource, type TailState } from './tail';

export type TailQuery = Omit<
  QueryOf<'logs_tail'>,
  'cursor' | 'current_page' | 'page_size' | 'time_of_generation_min' | 'time_of_generation_max'
>;
export type LogRow = ResponseOf<'logs_list'>['data'][number];

const PAGE_SIZE = 100;

/**
 * The logs of the admin API, with the filters of the list except its time range, which the tail
 * sets.
 */
export function logSource(query: TailQuery): TailSource<LogRow> {
  return {
    open: async (signal) => {
      const { stream, headers } = await openStream('logs_tail', { query }, signal);
      const date = Date.parse(headers.get('date') ?? '');
      return { stream, openedAt: new Date(Number.isNaN(date) ? Date.now() : date).toISOString() };
    },
    since: async (time, signal) => {
      const rows: LogRow[] = [];
      let cursor: string | null = null;
      while (rows.length < ROWS_MAX) {
        const { data: page }: { data: ResponseOf<'logs_list'> } = await call(
          'logs_list',
          {
            query: {
              ...query,
              time_of_generation_min: time,
              page_size: PAGE_SIZE,
              ...(cursor === null ? {} : { cursor }),
            },
          },
          { signal },
        );
        rows.push(...page.data);
        cursor = page.next_cursor;
        if (cursor === null) return { rows, isWhole: true };
      }
      return { rows, isWhole: false };
    },
  };
}

/**
 * Follows new logs while the component is mounted and `isOn` is true. Restarts when `query`
 * changes. Tabs with the same query share one stream; a hidden tab gives it up after `HIDDEN_MS`
 * and catches up when it is visible again.
 */
export function useTail(query: TailQuery, isOn: boolean): TailState<LogRow> & { readonly clear: () => void } {
  const { id: user } = useSelf();
  const key = JSON.stringify(query);
  const tail = useMemo(
    () => new Tail(sharedSource(logSource(JSON.parse(key) as TailQuery), `tollgate-tail ${user} ${key}`)),
    [user, key],
  );
  useEffect(() => {
    if (!isOn) return undefined;
    const look = () => tail.setVisible(document.visibilityState === 'visible');
    tail.start();
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      tail.stop();
    };
  }, [tail, isOn]);
  const state = useSyncExternalStore(tail.subscribe, tail.getState);
  return { ...state, clear: () => tail.clear() };
}
