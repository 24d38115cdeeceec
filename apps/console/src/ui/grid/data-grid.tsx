import { useMemo, useRef, type CSSProperties, type ReactElement, type ReactNode } from 'react';
import { leastWidth, templateOf, type Column, type ColumnChoice } from './columns';
import { GridHeader } from './grid-header';
import { GridRow } from './grid-row';
import { useDrawnRows } from './use-drawn-rows';
import { HEADER_HEIGHT, useGridState } from './use-grid-state';

/** Width of the column of checkboxes in pixels. */
const MARK_WIDTH = 30;
const NO_WIDTHS: Readonly<Record<string, number>> = {};

export interface DataGridProps<Row> {
  /** Accessible name of the list. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly rowId: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  /**
   * Result of `useColumns`: visible columns, order and widths. Absent: all columns that are not
   * optional.
   */
  readonly choice?: ColumnChoice<Row>;
  /** Height of a row in pixels: 30 for logs, 34 by default. Compact density subtracts 4. */
  readonly rowHeight?: number;
  readonly openId?: string | null;
  readonly onOpen?: (row: Row) => void;
  /** Ids of marked rows; absent when rows cannot be marked. */
  readonly marked?: ReadonlySet<string>;
  readonly onMark?: (marked: ReadonlySet<string>) => void;
  readonly actions?: (row: Row) => ReactNode;
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  /**
   * Called near the end of the loaded rows; absent when there are no more or they are being loaded.
   */
  readonly onEnd?: () => void;
  /**
   * Called near the start of the loaded rows; absent when there are no earlier rows or they are
   * being loaded.
   */
  readonly onStart?: () => void;
  /** Total number of rows; absent when unknown. */
  readonly total?: number;
  readonly toneOf?: (row: Row) => 'danger' | 'warn' | 'new' | undefined;
  /** Name of a row's day; the grid draws a rule where it changes. */
  readonly dayOf?: (row: Row) => string;
  /** Content below the rows, such as a loading indicator. */
  readonly foot?: ReactNode;
  /** True to focus the list when it appears. */
  readonly autoFocus?: boolean;
}

/**
 * Virtualised grid with keyboard control, marked rows, sticky first and action columns, and loading
 * at both ends.
 */
export function DataGrid<Row>(props: DataGridProps<Row>): ReactElement {
  const { label, rows, rowId, columns, choice, rowHeight = 34, openId = null, actions, marked, foot } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const ids = useMemo(() => rows.map(rowId), [rows, rowId]);
  const shown = useMemo(
    () => choice?.shown ?? columns.filter(({ optional }) => optional !== true),
    [choice, columns],
  );
  const { active, press, mark, onKeyDown, virtual } = useGridState(props, scroll, ids, rowHeight);
  const drawn = useDrawnRows(virtual, ids, actions === undefined);
  const hasMarks = marked !== undefined;
  const widths = choice?.widths ?? NO_WIDTHS;
  const template = [
    hasMarks ? `${MARK_WIDTH}px` : '',
    templateOf(shown, widths),
    actions === undefined ? '' : 'max-content',
  ];
  return (
    <div
      ref={scroll}
      role="grid"
      aria-label={label}
      aria-rowcount={rowCount(props)}
      aria-colcount={shown.length + Number(hasMarks) + Number(actions !== undefined)}
      aria-multiselectable={hasMarks || undefined}
      className={`data-grid${hasMarks ? ' data-grid-marks' : ''}`}
      style={
        {
          '--grid-template': template.join(' '),
          '--grid-least': `${leastWidth(shown, widths) + (hasMarks ? MARK_WIDTH : 0)}px`,
          '--grid-row': `${rowHeight}px`,
        } as CSSProperties
      }
      onKeyDown={onKeyDown}
    >
      <GridHeader
        columns={shown}
        widths={widths}
        hasMarks={hasMarks}
        hasActions={actions !== undefined}
        sort={props.sort}
        onSort={props.onSort}
        onWidth={choice?.setWidth}
      />
      <div role="rowgroup" className="grid-rows" style={{ height: virtual.getTotalSize() }}>
        {drawn.map(({ id, key, index, start }) => {
          const row = rows[index] as Row;
          return (
            <GridRow
              key={key}
              row={row}
              id={id}
              index={index}
              top={start - HEADER_HEIGHT}
              columns={shown}
              isActive={index === active}
              isOpen={id === openId}
              isMarked={marked?.has(id) ?? null}
              tone={props.toneOf?.(row)}
              rule={ruleBefore(rows, index, props.dayOf)}
              actions={actions}
              onPress={press}
              onMark={mark}
            />
          );
        })}
      </div>
      {foot === undefined ? null : (
        <div role="presentation" className="grid-foot">
          {foot}
        </div>
      )}
    </div>
  );
}

/** Number of rows including the header, for `aria-rowcount`; -1 when unknown. */
function rowCount<Row>({ rows, total, onEnd }: DataGridProps<Row>): number {
  if (total !== undefined) return total + 1;
  return onEnd === undefined ? rows.length + 1 : -1;
}

/** Day that starts with a row; undefined when the previous row is of the same day. */
function ruleBefore<Row>(
  rows: readonly Row[],
  index: number,
  dayOf: ((row: Row) => string) | undefined,
): string | undefined {
  if (dayOf === undefined || index === 0) return undefined;
  const [before, own] = [dayOf(rows[index - 1] as Row), dayOf(rows[index] as Row)];
  return before === own ? undefined : own;
}
