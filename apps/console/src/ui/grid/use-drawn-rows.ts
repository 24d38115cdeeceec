import type { Virtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { nextSlots, type Slot } from './slots';

interface DrawnRow {
  readonly id: string;
  /** Key of the row's element. */
  readonly key: string | number;
  readonly index: number;
  /** Pixels from the top of the scrolled area. */
  readonly start: number;
}

/**
 * The rows in view in the order of their elements. `isReusing`: elements of rows that are scrolled away are used for others, so they may
 * hold nothing of a row but what its properties say, such as an open menu.
 */
export function useDrawnRows(
  virtual: Virtualizer<HTMLDivElement, HTMLDivElement>,
  ids: readonly string[],
  isReusing: boolean,
): readonly DrawnRow[] {
  const slots = useRef<readonly Slot[]>([]);
  const items = virtual.getVirtualItems();
  const rows = items.map(({ index, start }) => ({ id: ids[index] ?? '', index, start }));
  if (!isReusing) return rows.map((row) => ({ ...row, key: row.id }));
  const byId = new Map(rows.map((row) => [row.id, row]));
  slots.current = nextSlots(slots.current, [...byId.keys()], virtual.isScrolling);
  return slots.current.flatMap(({ id, slot }) => {
    const row = byId.get(id);
    return row === undefined ? [] : { ...row, key: slot };
  });
}
