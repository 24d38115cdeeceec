import { defaultRangeExtractor, useVirtualizer, type Range, type Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, type RefObject } from 'react';

/** Number of rows before the end of the loaded rows at which more are requested. */
const AHEAD = 20;
const SCAN_MAX = 20_000;

export interface GridRowsOptions {
  readonly scroll: RefObject<HTMLDivElement | null>;
  readonly ids: readonly string[];
  readonly rowHeight: number;
  readonly headerHeight: number;
  /** Index of the active row, which stays rendered when it is scrolled out of view; -1 for none. */
  readonly active: number;
  readonly onStart: (() => void) | undefined;
  readonly onEnd: (() => void) | undefined;
}

/**
 * Virtualises the rows, loads more at both ends, and keeps the view stable when rows are added at
 * the top.
 */
export function useGridRows(options: GridRowsOptions): Virtualizer<HTMLDivElement, HTMLDivElement> {
  const { scroll, ids, rowHeight, headerHeight, active, onStart, onEnd } = options;
  const extract = useCallback(
    (range: Range) => {
      const shown = defaultRangeExtractor(range);
      if (active < 0 || active >= range.count || shown.includes(active)) return shown;
      return [...shown, active].sort((one, other) => one - other);
    },
    [active],
  );
  const virtual = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: ids.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: headerHeight,
    scrollPaddingStart: headerHeight,
    rangeExtractor: extract,
  });
  useEffect(() => virtual.measure(), [virtual, rowHeight]);
  useStableTop(scroll, ids, rowHeight);
  const { startIndex = -1, endIndex = -1 } = virtual.range ?? {};
  const count = ids.length;
  useEffect(() => {
    if (count > 0 && endIndex >= count - AHEAD) onEnd?.();
  }, [count, endIndex, onEnd]);
  useEffect(() => {
    if (count > 0 && startIndex >= 0 && startIndex <= 2) onStart?.();
  }, [count, startIndex, onStart]);
  return virtual;
}

/**
 * Adjusts the scroll position for rows added at the top, unless the list is scrolled to its top.
 */
function useStableTop(
  scroll: RefObject<HTMLDivElement | null>,
  ids: readonly string[],
  rowHeight: number,
): void {
  const before = useRef(ids);
  useLayoutEffect(() => {
    const first = before.current[0];
    before.current = ids;
    const element = scroll.current;
    if (element === null || first === undefined || ids[0] === first || element.scrollTop === 0) return;
    const added = ids.slice(0, SCAN_MAX).indexOf(first);
    if (added > 0) element.scrollTop += added * rowHeight;
  }, [scroll, ids, rowHeight]);
}
