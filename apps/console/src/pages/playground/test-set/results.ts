import { csvText, exactMoneyText } from '../../../ui/format';
import type { Cell } from './test-run';
import { cellId } from './test-run';
import type { TestRow } from './test-set';
import type { KeptSet } from './use-kept-set';

/** Result that a cell shows. */
export type CellWord =
  'passed' | 'failed' | 'unjudged' | 'answered' | 'error' | 'running' | 'judging' | 'stopped' | 'left';

export function wordOf({ status, verdict }: Cell): CellWord {
  if (status === 'failed') return 'error';
  return status === 'done' ? (verdict?.outcome ?? 'answered') : status;
}

/** Results that count as bad. */
const BAD: readonly CellWord[] = ['failed', 'unjudged', 'error'];

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  /** Number of cells without a response or a verdict. */
  readonly others: number;
}

/** Cells of a row by column; undefined when nothing was sent or the column has changed since. */
export const cellsOf = (
  { cells, columns }: Pick<KeptSet, 'cells' | 'columns'>,
  row: TestRow,
  now: readonly string[],
): readonly (Cell | undefined)[] =>
  now.map((column, place) => (columns[place] === column ? cells[cellId(row.id, place)] : undefined));

export function countsOf(cells: readonly (Cell | undefined)[]): Counts {
  const words = cells.map((cell) => (cell === undefined ? null : wordOf(cell)));
  const count = (wanted: readonly CellWord[]): number =>
    words.filter((word) => word !== null && wanted.includes(word)).length;
  return { passed: count(['passed']), failed: count(['failed']), others: count(['unjudged', 'error']) };
}

/** Whether one of the cells failed, has no response or could not be judged. */
export const isBad = (cells: readonly (Cell | undefined)[]): boolean =>
  cells.some((cell) => cell !== undefined && BAD.includes(wordOf(cell)));

const NAMES = ['result', 'reason', 'answer', 'cost_usd', 'milliseconds', 'request_id'];

/** Formats the rows with their results in each column as CSV. */
export function resultsCsv(
  rows: readonly TestRow[],
  columns: readonly string[],
  cellsFor: (row: TestRow) => readonly (Cell | undefined)[],
): string {
  const variables = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  const head = [
    'row',
    ...variables,
    ...columns.flatMap((column) => NAMES.map((name) => `${column} ${name}`)),
  ];
  const lines = rows.map((row) => [
    row.name,
    ...variables.map((name) => (Object.hasOwn(row.values, name) ? row.values[name] : null)),
    ...cellsFor(row).flatMap(fieldsOf),
  ]);
  return csvText([head, ...lines]);
}

function fieldsOf(cell: Cell | undefined): readonly (string | number | null)[] {
  if (cell === undefined) return NAMES.map(() => null);
  return [
    wordOf(cell),
    cell.message ?? cell.verdict?.reason ?? null,
    cell.text,
    cell.cost === null ? null : exactMoneyText(cell.cost),
    Math.round(cell.tookMs),
    cell.requestId,
  ];
}
