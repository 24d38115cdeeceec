import { useState, type KeyboardEvent } from 'react';

export interface ChartCursor {
  /** Index of the bucket under the cursor; null when the cursor is outside of the chart. */
  readonly at: number | null;
  readonly setAt: (at: number | null) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

interface CursorActions {
  readonly count: number;
  /** Called for Enter on a bucket. */
  readonly onPick: (at: number) => void;
  /** Called for Enter after a selection with Shift, with the first and last bucket. */
  readonly onSelect: (first: number, last: number) => void;
  readonly onTable: () => void;
}

/**
 * Keyboard cursor of a chart: arrow keys move it, Shift selects, Enter picks or zooms, `T` shows a
 * table.
 */
export function useChartCursor({ count, onPick, onSelect, onTable }: CursorActions): ChartCursor {
  const [at, setPlace] = useState<number | null>(null);
  const [anchor, setAnchor] = useState<number | null>(null);
  const setAt = (next: number | null): void => {
    setPlace(next);
    if (next === null) setAnchor(null);
  };
  const move = (by: number, extend: boolean): void => {
    const first = by > 0 ? 0 : count - 1;
    if (count === 0) return;
    const next = Math.min(count - 1, Math.max(0, at === null ? first : at + by));
    setAnchor(extend ? (anchor ?? at ?? next) : null);
    setAt(next);
  };
  const enter = (): void => {
    if (at === null) return;
    if (anchor === null) onPick(at);
    else onSelect(Math.min(anchor, at), Math.max(anchor, at));
    setAnchor(null);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => move(-1, event.shiftKey),
      ArrowRight: () => move(1, event.shiftKey),
      Enter: enter,
      t: onTable,
    };
    const act = acts[event.key];
    if (act === undefined) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  };
  return { at, setAt, onKeyDown };
}
