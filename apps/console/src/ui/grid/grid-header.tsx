import type { KeyboardEvent, PointerEvent, ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { Icon } from '../icons/icon';
import { WIDTH_MAX, WIDTH_MIN, type Column } from './columns';

export interface GridHeaderProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly widths: Readonly<Record<string, number>>;
  readonly hasMarks: boolean;
  readonly hasActions: boolean;
  /** Sorted field, with `-` for descending. */
  readonly sort: string | undefined;
  readonly onSort: ((sort: string) => void) | undefined;
  readonly onWidth: ((id: string, width: number) => void) | undefined;
}

/** Header row with the column names, sorting, and handles for the widths. */
export function GridHeader<Row>(props: GridHeaderProps<Row>): ReactElement {
  const { columns, widths, hasMarks, hasActions, sort, onSort, onWidth } = props;
  return (
    <div role="row" aria-rowindex={1} className="grid-header">
      {hasMarks && (
        <div role="columnheader" className="grid-cell grid-mark">
          <span className="visually-hidden">{uiText.grid.marks}</span>
        </div>
      )}
      {columns.map((column) => (
        <div
          key={column.id}
          role="columnheader"
          className="grid-cell"
          data-align={column.align}
          aria-sort={ariaSort(column.sort, sort)}
        >
          <HeaderName column={column} sort={sort} onSort={onSort} />
          {onWidth === undefined ? null : (
            <WidthHandle
              name={column.header}
              width={widths[column.id] ?? column.width}
              onWidth={(width) => onWidth(column.id, width)}
            />
          )}
        </div>
      ))}
      {hasActions && (
        <div role="columnheader" className="grid-cell grid-actions">
          <span className="visually-hidden">{uiText.grid.actions}</span>
        </div>
      )}
    </div>
  );
}

function HeaderName<Row>(props: {
  readonly column: Column<Row>;
  readonly sort: string | undefined;
  readonly onSort: ((sort: string) => void) | undefined;
}): ReactElement {
  const { column, sort, onSort } = props;
  const state = ariaSort(column.sort, sort);
  if (column.sort === undefined || onSort === undefined) return <span className="ell">{column.header}</span>;
  const field = column.sort;
  return (
    <button
      type="button"
      className="plain-button grid-sort"
      onClick={() => onSort(state === 'descending' ? field : `-${field}`)}
    >
      <span className="ell">{column.header}</span>
      {state === 'descending' && <Icon name="arrowDown" size={12} />}
      {state === 'ascending' && <Icon name="arrowUp" size={12} />}
    </button>
  );
}

function ariaSort(
  field: string | undefined,
  sort: string | undefined,
): 'ascending' | 'descending' | undefined {
  if (field === undefined || sort === undefined) return undefined;
  if (sort === field) return 'ascending';
  return sort === `-${field}` ? 'descending' : undefined;
}

interface WidthHandleProps {
  readonly name: string;
  readonly width: number;
  readonly onWidth: (width: number) => void;
}

/** Width of the column of a handle; a growing column is wider than its own width. */
const actualWidth = (handle: HTMLElement, width: number): number =>
  handle.parentElement?.getBoundingClientRect().width || width;

/**
 * Handle for the width of a column, which can be dragged or moved with the arrow keys in steps of
 * 10 px.
 */
function WidthHandle({ name, width, onWidth }: WidthHandleProps): ReactElement {
  const start = (event: PointerEvent<HTMLDivElement>): void => {
    const handle = event.currentTarget;
    const from = event.clientX;
    const actual = actualWidth(handle, width);
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const move = (moved: globalThis.PointerEvent): void => onWidth(actual + moved.clientX - from);
    const end = (): void => {
      handle.removeEventListener('pointermove', move);
      handle.removeEventListener('lostpointercapture', end);
    };
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', end);
  };
  const key = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    event.stopPropagation();
    onWidth(actualWidth(event.currentTarget, width) + (event.key === 'ArrowLeft' ? -10 : 10));
  };
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={uiText.grid.width(name)}
      aria-valuenow={width}
      aria-valuemin={WIDTH_MIN}
      aria-valuemax={WIDTH_MAX}
      tabIndex={0}
      className="grid-width-handle"
      onPointerDown={start}
      onKeyDown={key}
      onClick={(event) => event.stopPropagation()}
    />
  );
}
