import type { LogRow, TailState } from '../../../live';

type Row = Pick<LogRow, 'id' | 'created_at'>;
type TailRows<R> = Pick<TailState<R>, 'rows' | 'dropped' | 'skipped' | 'isSkippedExact'>;

const isNewer = (one: Row, other: Row): boolean =>
  one.created_at === other.created_at ? one.id > other.id : one.created_at > other.created_at;

/**
 * Whether rows may be missing between the tail and the list: the tail has dropped or skipped rows,
 * and its oldest row is newer than every row of the list.
 */
export const isApart = (
  { rows, dropped, skipped, isSkippedExact }: TailRows<Row>,
  listed: readonly Row[],
): boolean => {
  const [oldest, newest] = [rows.at(-1), listed[0]];
  if (oldest === undefined || (dropped === 0 && skipped === 0 && isSkippedExact)) return false;
  return newest === undefined || isNewer(oldest, newest);
};

/** Merges the rows of the tail and of the list, both newest first, without duplicates. */
export function mergeRows<R extends Row>(tail: readonly R[], listed: readonly R[]): readonly R[] {
  const oldest = tail.at(-1);
  if (oldest === undefined) return listed;
  const ids = new Set(tail.map(({ id }) => id));
  const merged: R[] = [];
  let at = 0;
  for (const row of tail) {
    for (let next = listed[at]; next !== undefined && isNewer(next, row); next = listed[at]) {
      if (!ids.has(next.id)) merged.push(next);
      at += 1;
    }
    merged.push(row);
  }
  return [...merged, ...listed.slice(at).filter(({ id }) => !ids.has(id))];
}
