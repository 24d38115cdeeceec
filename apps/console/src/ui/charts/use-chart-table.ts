import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';

interface ChartTableState {
  readonly plot: RefObject<HTMLDivElement | null>;
  readonly table: RefObject<HTMLDivElement | null>;
  readonly isTable: boolean;
  readonly toggle: () => void;
  /** Like `toggle`, and moves the focus out of the part that becomes hidden. */
  readonly toggleByKey: () => void;
  /** Handler of the table's keys: `T` shows the chart again. */
  readonly onTableKey: (event: KeyboardEvent) => void;
}

/** Whether a chart is shown as a table, and its change by a button or by `T`. */
export function useChartTable(): ChartTableState {
  const plot = useRef<HTMLDivElement>(null);
  const table = useRef<HTMLDivElement>(null);
  const [{ isTable, isByKey }, setShown] = useState({ isTable: false, isByKey: false });
  useEffect(() => {
    if (isByKey) (isTable ? table : plot).current?.focus();
  }, [isByKey, isTable]);
  const change = (byKey: boolean) => (): void => setShown({ isTable: !isTable, isByKey: byKey });
  const toggleByKey = change(true);
  const onTableKey = (event: KeyboardEvent): void => {
    if (event.key !== 't' || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    toggleByKey();
  };
  return { plot, table, isTable, toggle: change(false), toggleByKey, onTableKey };
}
