import type { Virtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { nextSlots, type Slot } from './slots';

interface DrawnRow {
  readonly id: string;
  /** Key of the row's element. */
  readonly key: string | number;
  readonly index: number;
  /** Pixels from the top of the scroll area. */
  readonly start: number;
}

/**
 * Visible rows in the order of their DOM elements. With `isReusing`, elements are reused for other
 * rows, so they must not hold state of a row, such as an open menu.
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
