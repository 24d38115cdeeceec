import type { Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, MouseEvent, RefObject } from 'react';
import { uiText } from '../../messages/en/ui';
import { announce } from '../primitives';
import type { DataGridProps } from './data-grid';
import { isTyping } from '../typing';
import { gridCommand, idsBetween, type GridCommand } from './keyboard';
import { useGridRows } from './use-grid-rows';

export const HEADER_HEIGHT = 30;
const NO_ONE: ReadonlySet<string> = new Set();

export interface GridState {
  /** Index of the row that is in the tab order; -1 for none. */
  readonly active: number;
  readonly press: (id: string, event: MouseEvent) => void;
  readonly mark: (id: string, extend: boolean) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLDivElement>) => void;
  readonly virtual: Virtualizer<HTMLDivElement, HTMLDivElement>;
}

/**
 * State of a grid: the active row, the anchor of a marked range, and the handlers of keys and
 * clicks.
 */
export function useGridState<Row>(
  props: DataGridProps<Row>,
  scroll: RefObject<HTMLDivElement | null>,
  ids: readonly string[],
  rowHeight: number,
): GridState {
  const [activeId, setActiveId] = useState<string | null>(props.openId ?? null);
  const [anchorId, setAnchorId] = useState<string | null>(null);
  const found = useMemo(() => (activeId === null ? -1 : ids.indexOf(activeId)), [ids, activeId]);
  const active = found >= 0 || ids.length === 0 ? found : 0;
  const { onStart, onEnd, marked, onMark, autoFocus = false } = props;
  const headerHeight = HEADER_HEIGHT;
  const virtual = useGridRows({ scroll, ids, rowHeight, headerHeight, active, onStart, onEnd });
  const focusRow = useRowFocus(scroll, active, autoFocus);
  const latest = useLatest({ props, ids, anchorId });

  const { mark, open, press } = useRowActions(latest, setActiveId, setAnchorId);

  const moveTo = (to: number, extend: boolean): void => {
    const id = ids[to] ?? '';
    setActiveId(id);
    if (extend) {
      const anchor = anchorId ?? ids[active] ?? id;
      setAnchorId(anchor);
      onMark?.(new Set([...(marked ?? NO_ONE), ...idsBetween(ids, anchor, id)]));
    }
    virtual.scrollToIndex(to);
    focusRow();
  };
  /** Runs a command. Returns whether it had an effect. */
  const act = (command: GridCommand, id: string, isArrow: boolean): boolean => {
    switch (command.kind) {
      case 'within':
        return moveWithin(scroll.current, active, command.by);
      case 'open':
        open(id);
        return true;
      case 'mark':
        if (marked !== undefined) mark(id, command.extend);
        return marked !== undefined;
      case 'move':
        moveTo(command.to, command.extend && isArrow && marked !== undefined);
        return true;
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const target = event.target as HTMLElement;
    const page = Math.max(1, Math.floor((scroll.current?.clientHeight ?? 300) / rowHeight) - 2);
    const command = isTyping(target) ? null : gridCommand(event, found, ids.length, page);
    const id = ids[active];
    if (command === null || id === undefined) return;
    // Enter and Space on a control within a row or the header belong to that control.
    const isControls =
      (command.kind === 'open' || command.kind === 'mark') && !target.matches('[role=row], [role=grid]');
    if (!isControls && act(command, id, event.key.startsWith('Arrow'))) event.preventDefault();
  };
  return { active, press, mark, onKeyDown, virtual };
}

interface Latest<Row> {
  readonly props: DataGridProps<Row>;
  readonly ids: readonly string[];
  readonly anchorId: string | null;
}

/**
 * Callbacks of rows. They are stable references, so that a row renders again only for its own
 * props.
 */
function useRowActions<Row>(
  latest: RefObject<Latest<Row>>,
  setActiveId: (id: string) => void,
  setAnchorId: (id: string) => void,
) {
  const mark = useCallback(
    (id: string, extend: boolean): void => {
      const { props: now, ids: all, anchorId: anchor } = latest.current;
      const next = new Set(now.marked);
      if (extend && anchor !== null) for (const one of idsBetween(all, anchor, id)) next.add(one);
      else if (!next.delete(id)) next.add(id);
      setActiveId(id);
      setAnchorId(id);
      now.onMark?.(next);
      announce(uiText.grid.marked(next.size));
    },
    [latest, setActiveId, setAnchorId],
  );
  const open = useCallback(
    (id: string): void => {
      const { props: now, ids: all } = latest.current;
      const row = now.rows[all.indexOf(id)];
      if (row !== undefined) now.onOpen?.(row);
    },
    [latest],
  );
  const press = useCallback(
    (id: string, event: MouseEvent): void => {
      setActiveId(id);
      const control = (event.target as HTMLElement).closest('a, button, input, [role=menuitem]');
      // Selecting text in a row does not count as a click.
      if (control === null && document.getSelection()?.isCollapsed !== false) open(id);
    },
    [open, setActiveId],
  );
  return { mark, open, press };
}

/**
 * Returns a function that focuses the active row after the next render. Keys call it; the arrival
 * of rows does not move the focus.
 */
function useRowFocus(scroll: RefObject<HTMLDivElement | null>, active: number, atFirst: boolean): () => void {
  const [wanted, setWanted] = useState(atFirst ? 1 : 0);
  const done = useRef(0);
  useLayoutEffect(() => {
    if (wanted === done.current) return;
    done.current = wanted;
    scroll.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)?.focus({ preventScroll: true });
  }, [scroll, wanted, active]);
  return () => setWanted((count) => count + 1);
}

/** Ref to the newest value, for callbacks that must be stable. */
function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}

/**
 * Moves the focus between a row and its controls. Returns false when there is none in that
 * direction.
 */
function moveWithin(grid: HTMLElement | null, index: number, by: -1 | 1): boolean {
  const row = grid?.querySelector<HTMLElement>(`[data-index="${index}"]`);
  if (row === null || row === undefined) return false;
  const stops = [row, ...row.querySelectorAll<HTMLElement>('a[href], button:not([disabled])')];
  const next = stops[stops.indexOf(document.activeElement as HTMLElement) + by];
  next?.focus({ preventScroll: true });
  return next !== undefined;
}
