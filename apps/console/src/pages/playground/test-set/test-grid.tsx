import type { ReactElement } from 'react';
import { testSets as text } from '../../../messages/en/test-sets';
import { Badge, TextButton } from '../../../ui/primitives';
import { ColumnHead } from '../columns/column-head';
import type { ColumnSettings } from '../search';
import { CellBadge } from './cell-badge';
import { countsOf } from './results';
import type { Cell } from './test-run';
import type { TestRow } from './test-set';

export interface ShownRow {
  readonly row: TestRow;
  /** Number of the row in the whole set, starting at 1. */
  readonly number: number;
  /** Cells by column; undefined when nothing was sent. */
  readonly cells: readonly (Cell | undefined)[];
}

interface TestGridProps {
  /** All rows, which the column headers count. */
  readonly rows: readonly ShownRow[];
  /** Rows that are shown. */
  readonly shown: readonly ShownRow[];
  readonly columns: readonly ColumnSettings[];
  readonly onColumn: (place: number, column: ColumnSettings) => void;
  readonly onRemoveColumn: (place: number) => void;
  readonly onRow: (row: TestRow) => void;
  readonly onCell: (row: ShownRow, column: number) => void;
}

/** Table of rows by columns. It has at most 200 by 6 cells, so it is not virtualised. */
export function TestGrid(props: TestGridProps): ReactElement {
  const { rows, shown, columns, onColumn, onRemoveColumn, onRow, onCell } = props;
  return (
    <div className="tests-grid" tabIndex={0} role="region" aria-label={text.grid}>
      <table className="tests-table">
        <thead>
          <tr>
            <th scope="col">{text.row}</th>
            {columns.map((column, place) => (
              <th scope="col" key={place}>
                <ColumnHead
                  number={place + 1}
                  column={column}
                  onChange={(changed) => onColumn(place, changed)}
                  onRemove={columns.length > 1 ? () => onRemoveColumn(place) : undefined}
                />
                <p className="xs muted num">{text.counts(countsOf(rows.map(({ cells }) => cells[place])))}</p>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((one) => (
            <tr key={one.row.id}>
              <th scope="row">
                <span className="row">
                  <span className="xs muted num">{one.number}</span>
                  <span className="ell grow private">
                    <TextButton onClick={() => onRow(one.row)}>{one.row.name}</TextButton>
                  </span>
                  {one.row.check !== null && <Badge tone="outline">{text.own}</Badge>}
                </span>
              </th>
              {one.cells.map((cell, place) => (
                <td key={place}>
                  {cell !== undefined && (
                    <button type="button" className="tests-cell" onClick={() => onCell(one, place)}>
                      <span className="visually-hidden">{text.cell(one.number, place + 1)}</span>
                      <CellBadge cell={cell} />
                      <span className="ell xs private">{cell.message ?? cell.text}</span>
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
