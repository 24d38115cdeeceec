import { useMemo, useRef, type CSSProperties, type ReactElement, type ReactNode } from 'react';
import { leastWidth, templateOf, type Column, type ColumnChoice } from './columns';
import { GridHeader } from './grid-header';
import { GridRow } from './grid-row';
import { useDrawnRows } from './use-drawn-rows';
import { HEADER_HEIGHT, useGridState } from './use-grid-state';

/** Pixels of the column with the marks. */
const MARK_WIDTH = 30;
const NO_WIDTHS: Readonly<Record<string, number>> = {};

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

/** With the header; -1 when it is not known. */
function rowCount<Row>({ rows, total, onEnd }: DataGridProps<Row>): number {
  if (total !== undefined) return total + 1;
  return onEnd === undefined ? rows.length + 1 : -1;
}

/** The day that begins with a row; undefined when it is the day of the row before. */
function ruleBefore<Row>(
  rows: readonly Row[],
  index: number,
  dayOf: ((row: Row) => string) | undefined,
): string | undefined {
  if (dayOf === undefined || index === 0) return undefined;
  const [before, own] = [dayOf(rows[index - 1] as Row), dayOf(rows[index] as Row)];
  return before === own ? undefined : own;
}
