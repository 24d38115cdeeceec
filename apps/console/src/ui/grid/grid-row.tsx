import { memo, type MouseEvent, type ReactElement, type ReactNode } from 'react';
import { uiText } from '../../messages/en/ui';
import { Icon } from '../icons/icon';
import type { Column } from './columns';

export interface GridRowProps<Row> {
  readonly row: Row;
  readonly id: string;
  readonly index: number;
  /** Pixels from the top of the list. */
  readonly top: number;
  readonly columns: readonly Column<Row>[];
  readonly isActive: boolean;
  readonly isOpen: boolean;
  /** Whether the row is marked; null when rows cannot be marked. */
  readonly isMarked: boolean | null;
  readonly tone: string | undefined;
  /** Name of the day that starts with this row. */
  readonly rule: string | undefined;
  readonly actions: ((row: Row) => ReactNode) | undefined;
  readonly onPress: (id: string, event: MouseEvent) => void;
  readonly onMark: (id: string, extend: boolean) => void;
}

function GridRowOf<Row>(props: GridRowProps<Row>): ReactElement {
  const { row, id, index, top, columns, isActive, isOpen, isMarked, tone, rule, actions, onPress, onMark } =
    props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isMarked ?? undefined}
      aria-current={isOpen || undefined}
      className="grid-row"
      data-index={index}
      data-tone={tone}
      data-rule={rule}
      tabIndex={isActive ? 0 : -1}
      style={{ transform: `translateY(${top}px)` }}
      onClick={(event) => onPress(id, event)}
    >
      {isMarked === null ? null : (
        <div role="gridcell" className="grid-cell grid-mark">
          <button
            type="button"
            tabIndex={-1}
            className="plain-button grid-checkbox"
            role="checkbox"
            aria-checked={isMarked}
            aria-label={uiText.grid.mark}
            onClick={(event) => {
              event.stopPropagation();
              onMark(id, event.shiftKey);
            }}
          >
            {isMarked && <Icon name="check" size={11} />}
          </button>
        </div>
      )}
      {columns.map((column) => (
        <div key={column.id} role="gridcell" className="grid-cell" data-align={column.align}>
          {column.cell(row)}
        </div>
      ))}
      {actions === undefined ? null : (
        <div role="gridcell" className="grid-cell grid-actions">
          {actions(row)}
        </div>
      )}
    </div>
  );
}

/** A row of the grid, memoised by its props. */
export const GridRow = memo(GridRowOf) as typeof GridRowOf;
