import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { CSSProperties, KeyboardEvent, MouseEvent, ReactElement, ReactNode } from 'react';
import { uiText } from '../../messages/en/ui';
import { templateOf, type Column, type ColumnChoice } from './columns';
import { GridHeader } from './grid-header';
import { GridRow } from './grid-row';
import { gridCommand, idsBetween, isTyping } from './keyboard';
import { useGridRows } from './use-grid-rows';

const HEADER_HEIGHT = 30;
const NO_ONE: ReadonlySet<string> = new Set();

export interface DataGridProps<Row> {
  /** Name of the list for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly rowId: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  /** From `useColumns`: visible columns, order and widths. Absent: all that are not optional. */
  readonly choice?: ColumnChoice<Row>;
  /** Pixels. 30 for logs, 34 otherwise; compact density takes 4. */
  readonly rowHeight?: number;
  readonly openId?: string | null;
  readonly onOpen?: (row: Row) => void;
  /** Ids of marked rows. Absent: rows cannot be marked. */
  readonly marked?: ReadonlySet<string>;
  readonly onMark?: (marked: ReadonlySet<string>) => void;
  readonly actions?: (row: Row) => ReactNode;
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  /** Called near the end of the loaded rows; absent when there are no more or they are being loaded. */
  readonly onEnd?: () => void;
  /** The same for the beginning. */
  readonly onStart?: () => void;
  /** Number of all rows. Absent: not known. */
  readonly total?: number;
  readonly toneOf?: (row: Row) => 'danger' | 'warn' | 'new' | undefined;
  /** Name of a row's day; a rule is drawn where it changes. */
  readonly dayOf?: (row: Row) => string;
  /** Below the rows, while more is loaded or at the end. */
  readonly foot?: ReactNode;
  /** The list has the focus when it appears. */
  readonly autoFocus?: boolean;
}

/** A list with virtual rows: keyboard, marks, sticky first and action column, loading at both ends. */
export function DataGrid<Row>(props: DataGridProps<Row>): ReactElement {
  const { label, rows, rowId, columns, choice, rowHeight = 34, openId = null, onOpen, actions } = props;
  const {
    marked,
    onMark,
    sort,
    onSort,
    onEnd,
    onStart,
    total,
    toneOf,
    dayOf,
    foot,
    autoFocus = false,
  } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const ids = useMemo(() => rows.map(rowId), [rows, rowId]);
  const shown = useMemo(
    () => choice?.shown ?? columns.filter(({ optional }) => optional !== true),
    [choice, columns],
  );
  const [activeId, setActiveId] = useState<string | null>(openId);
  const [anchorId, setAnchorId] = useState<string | null>(null);
  const [focusOn, setFocusOn] = useState(autoFocus ? 1 : 0);
  const found = useMemo(() => (activeId === null ? -1 : ids.indexOf(activeId)), [ids, activeId]);
  const active = found >= 0 ? found : ids.length > 0 ? 0 : -1;
  const virtual = useGridRows({
    scroll,
    ids,
    rowHeight,
    headerHeight: HEADER_HEIGHT,
    active,
    onStart,
    onEnd,
  });
  const hasMarks = marked !== undefined;

  useLayoutEffect(() => {
    if (focusOn === 0) return;
    scroll.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)?.focus({ preventScroll: true });
    // Moving the focus follows a key, not the arrival of rows.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [focusOn]);

  const marks = useRef({ marked: marked ?? NO_ONE, ids, anchorId, onMark });
  useLayoutEffect(() => {
    marks.current = { marked: marked ?? NO_ONE, ids, anchorId, onMark };
  });
  const mark = useCallback((id: string, extend: boolean): void => {
    const { marked: before, ids: all, anchorId: anchor, onMark: report } = marks.current;
    const next = new Set(before);
    if (extend && anchor !== null) for (const one of idsBetween(all, anchor, id)) next.add(one);
    else if (!next.delete(id)) next.add(id);
    setActiveId(id);
    setAnchorId(id);
    report?.(next);
  }, []);

  const open = useRef({ rows, ids, onOpen });
  useLayoutEffect(() => {
    open.current = { rows, ids, onOpen };
  });
  const openById = useCallback((id: string): void => {
    const { rows: all, ids: allIds, onOpen: report } = open.current;
    const row = all[allIds.indexOf(id)];
    if (row !== undefined) report?.(row);
  }, []);
  const press = useCallback(
    (id: string, event: MouseEvent): void => {
      setActiveId(id);
      const target = event.target as HTMLElement;
      const control = target.closest('a, button, input, [role=menuitem]');
      if (control === null && globalThis.getSelection?.()?.isCollapsed !== false) openById(id);
    },
    [openById],
  );

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (isTyping(event.target)) return;
    const isOnControl = !(event.target as HTMLElement).matches('[role=row], [role=grid]');
    const page = Math.max(1, Math.floor((scroll.current?.clientHeight ?? 300) / rowHeight) - 2);
    const command = gridCommand(event, found, ids.length, page);
    if (command === null || (isOnControl && (command.kind === 'open' || command.kind === 'mark'))) return;
    const id = ids[active];
    if (id === undefined) return;
    if (command.kind === 'within') {
      if (moveWithin(scroll.current, active, command.by)) event.preventDefault();
      return;
    }
    if (command.kind === 'mark' && !hasMarks) return;
    event.preventDefault();
    if (command.kind === 'open') openById(id);
    else if (command.kind === 'mark') mark(id, command.extend);
    else moveTo(command.to, command.extend && hasMarks && event.key.startsWith('Arrow'));
  };

  const moveTo = (to: number, extend: boolean): void => {
    const id = ids[to];
    if (id === undefined) return;
    setActiveId(id);
    if (extend) {
      const anchor = anchorId ?? ids[active] ?? id;
      setAnchorId(anchor);
      onMark?.(new Set([...(marked ?? NO_ONE), ...idsBetween(ids, anchor, id)]));
    }
    virtual.scrollToIndex(to);
    setFocusOn((count) => count + 1);
  };

  const template = `${hasMarks ? '30px ' : ''}${templateOf(shown, choice?.widths ?? {})}${actions === undefined ? '' : ' max-content'}`;
  const items = virtual.getVirtualItems();
  return (
    <div
      ref={scroll}
      role="grid"
      aria-label={label}
      aria-rowcount={total === undefined ? (onEnd === undefined ? ids.length + 1 : -1) : total + 1}
      aria-colcount={shown.length + (hasMarks ? 1 : 0) + (actions === undefined ? 0 : 1)}
      aria-multiselectable={hasMarks || undefined}
      className={`data-grid${hasMarks ? ' data-grid-marks' : ''}`}
      style={{ '--grid-template': template, '--grid-row': `${rowHeight}px` } as CSSProperties}
      onKeyDown={onKeyDown}
    >
      <GridHeader
        columns={shown}
        widths={choice?.widths ?? {}}
        hasMarks={hasMarks}
        hasActions={actions !== undefined}
        sort={sort}
        onSort={onSort}
        onWidth={choice?.setWidth}
      />
      <div role="rowgroup" className="grid-rows" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index] as Row;
          const id = ids[index] ?? '';
          const previous = rows[index - 1];
          const day = dayOf?.(row);
          return (
            <GridRow
              key={id}
              row={row}
              id={id}
              index={index}
              top={start - HEADER_HEIGHT}
              columns={shown}
              isActive={index === active}
              isOpen={id === openId}
              isMarked={hasMarks ? marked.has(id) : null}
              tone={toneOf?.(row)}
              rule={previous !== undefined && day !== dayOf?.(previous) ? day : undefined}
              actions={actions}
              onPress={press}
              onMark={mark}
            />
          );
        })}
      </div>
      {foot === undefined ? null : <div className="grid-foot">{foot}</div>}
      <span className="visually-hidden" role="status">
        {hasMarks && marked.size > 0 ? uiText.grid.marked(marked.size) : ''}
      </span>
    </div>
  );
}

/** Moves the focus between a row and the controls in it. False: there is none in that direction. */
function moveWithin(grid: HTMLElement | null, index: number, by: -1 | 1): boolean {
  const row = grid?.querySelector<HTMLElement>(`[data-index="${index}"]`);
  if (row === null || row === undefined) return false;
  const stops = [row, ...row.querySelectorAll<HTMLElement>('a[href], button:not([disabled])')];
  const next = stops[stops.indexOf(document.activeElement as HTMLElement) + by];
  next?.focus({ preventScroll: true });
  return next !== undefined;
}
