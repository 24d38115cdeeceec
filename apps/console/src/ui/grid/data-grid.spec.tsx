import { act, fireEvent, render, screen, within } from '@testing-library/react';
import { useState, type ReactElement } from 'react';
import { withElementSize } from '../spec-support/layout';
import { ThemeProvider } from '../theme/theme-provider';
import { ColumnMenu, DataGrid, useColumns, type Column, type DataGridProps } from '.';

interface Row {
  readonly id: string;
  readonly model: string;
  readonly day: string;
}

const rowsOf = (count: number, from = 0): readonly Row[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `r${from + at}`,
    model: `model ${from + at}`,
    day: at < 3 ? 'Mon' : 'Sun',
  }));
const columns: readonly Column<Row>[] = [
  { id: 'id', header: 'Id', width: 90, cell: ({ id }) => id, sort: 'id' },
  { id: 'model', header: 'Model', width: 120, grow: 1, cell: ({ model }) => model },
  { id: 'day', header: 'Day', width: 80, cell: ({ day }) => day, optional: true },
];
const rowId = ({ id }: Row): string => id;

let undo: () => void;
beforeEach(() => {
  undo = withElementSize(800, 300);
  localStorage.clear();
});
afterEach(() => undo());

function Grid({
  rows,
  ...more
}: Partial<DataGridProps<Row>> & { readonly rows: readonly Row[] }): ReactElement {
  return (
    <ThemeProvider>
      <DataGrid label="Logs" rows={rows} rowId={rowId} columns={columns} rowHeight={30} {...more} />
    </ThemeProvider>
  );
}

function Marking({
  rows,
  onOpen,
}: {
  readonly rows: readonly Row[];
  readonly onOpen?: (row: Row) => void;
}): ReactElement {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  return (
    <Grid rows={rows} marked={marked} onMark={setMarked} {...(onOpen === undefined ? {} : { onOpen })} />
  );
}

const grid = (): HTMLElement => screen.getByRole('grid');
const focused = (): string | null | undefined => document.activeElement?.textContent;
const press = (key: string, more: object = {}): void =>
  void fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });
const row = (id: string): HTMLElement => screen.getByText(id).closest<HTMLElement>('[role=row]')!;

describe('DataGrid', () => {
  it('renders only the visible rows of 100,000', () => {
    render(<Grid rows={rowsOf(100_000)} />);
    expect(within(grid()).getAllByRole('row').length).toBeLessThan(60);
    expect(grid().getAttribute('aria-rowcount')).toBe('100001');
    expect(grid().querySelector<HTMLElement>('.grid-rows')?.style.height).toBe('3000000px');
  });

  it('moves with J, K, arrows, Home and End, with one row in the tab order', () => {
    render(<Grid rows={rowsOf(1000)} />);
    act(() => row('r0').focus());
    press('j');
    expect(focused()).toContain('model 0');
    press('j');
    expect(focused()).toContain('model 1');
    press('ArrowDown');
    press('k');
    expect(focused()).toContain('model 1');
    press('End');
    expect(focused()).toContain('model 999');
    press('Home');
    press('PageDown');
    expect(focused()).toContain('model 8');
    expect(grid().querySelectorAll('.grid-row[tabindex="0"]')).toHaveLength(1);
  });

  it('opens a row with Enter and by click, but not by a click on a control', () => {
    const onOpen = jest.fn();
    const act1 = jest.fn();
    render(
      <Grid
        rows={rowsOf(5)}
        onOpen={onOpen}
        actions={() => (
          <button type="button" onClick={act1}>
            Rotate
          </button>
        )}
      />,
    );
    act(() => row('r0').focus());
    press('j');
    press('j');
    press('Enter');
    expect(onOpen).toHaveBeenLastCalledWith(expect.objectContaining({ id: 'r1' }));
    fireEvent.click(screen.getByText('model 3'));
    expect(onOpen).toHaveBeenLastCalledWith(expect.objectContaining({ id: 'r3' }));
    fireEvent.click(screen.getAllByRole('button', { name: 'Rotate' })[0]!);
    expect(onOpen).toHaveBeenCalledTimes(2);
    expect(act1).toHaveBeenCalledTimes(1);
  });

  it('opens and marks the row that has the focus, also before any row was chosen', () => {
    const onOpen = jest.fn();
    render(<Marking rows={rowsOf(5)} onOpen={onOpen} />);
    act(() => row('r0').focus());
    press('Enter');
    expect(onOpen).toHaveBeenLastCalledWith(expect.objectContaining({ id: 'r0' }));
    press(' ');
    expect(row('r0').getAttribute('aria-selected')).toBe('true');
  });

  it('reaches the controls of a row with arrow keys, where Enter does not open the row', () => {
    const onOpen = jest.fn();
    render(<Grid rows={rowsOf(5)} onOpen={onOpen} actions={() => <button type="button">Rotate</button>} />);
    act(() => row('r0').focus());
    press('j');
    press('ArrowRight');
    expect(focused()).toBe('Rotate');
    press('Enter');
    expect(onOpen).not.toHaveBeenCalled();
    press('ArrowLeft');
    expect(focused()).toContain('model 0');
  });

  it('marks a row with Space, and a range with Shift and arrow keys', () => {
    render(<Marking rows={rowsOf(10)} />);
    act(() => row('r0').focus());
    press('j');
    press(' ');
    expect(row('r0').getAttribute('aria-selected')).toBe('true');
    press('ArrowDown', { shiftKey: true });
    press('ArrowDown', { shiftKey: true });
    expect(grid().querySelectorAll('[aria-selected=true]')).toHaveLength(3);
    fireEvent.click(within(row('r5')).getByRole('checkbox'), { shiftKey: true });
    expect(grid().querySelectorAll('[aria-selected=true]').length).toBeGreaterThanOrEqual(4);
    fireEvent.click(within(row('r0')).getByRole('checkbox'));
    expect(row('r0').getAttribute('aria-selected')).toBe('false');
  });

  it('loads more near the end, and keeps the view when rows are added at the top', () => {
    const onEnd = jest.fn();
    const { rerender } = render(<Grid rows={rowsOf(200)} onEnd={onEnd} />);
    expect(onEnd).not.toHaveBeenCalled();
    expect(grid().getAttribute('aria-rowcount')).toBe('-1');
    act(() => grid().scrollTo({ top: 5500 }));
    expect(onEnd).toHaveBeenCalled();
    act(() => grid().scrollTo({ top: 900 }));
    rerender(<Grid rows={[...rowsOf(40, 5000), ...rowsOf(200)]} onEnd={onEnd} />);
    expect(grid().scrollTop).toBe(900 + 40 * 30);
    act(() => grid().scrollTo({ top: 0 }));
    rerender(<Grid rows={[...rowsOf(1, 9000), ...rowsOf(40, 5000), ...rowsOf(200)]} onEnd={onEnd} />);
    expect(grid().scrollTop).toBe(0);
  });

  it('draws a rule where the day changes', () => {
    render(<Grid rows={rowsOf(10)} dayOf={({ day }) => day} />);
    expect(row('r3').dataset['rule']).toBe('Sun');
    expect(grid().querySelectorAll('[data-rule]')).toHaveLength(1);
  });

  it('sorts by a click on the header, descending first', () => {
    const onSort = jest.fn();
    const { rerender } = render(<Grid rows={rowsOf(3)} onSort={onSort} sort="" />);
    fireEvent.click(screen.getByRole('button', { name: 'Id' }));
    expect(onSort).toHaveBeenLastCalledWith('-id');
    rerender(<Grid rows={rowsOf(3)} onSort={onSort} sort="-id" />);
    expect(screen.getByRole('columnheader', { name: /Id/ }).getAttribute('aria-sort')).toBe('descending');
    fireEvent.click(screen.getByRole('button', { name: 'Id' }));
    expect(onSort).toHaveBeenLastCalledWith('id');
  });
});

function Choosing(): ReactElement {
  const choice = useColumns('logs', columns);
  return (
    <ThemeProvider>
      <ColumnMenu columns={columns} choice={choice} />
      <DataGrid label="Logs" rows={rowsOf(3)} rowId={rowId} columns={columns} choice={choice} />
    </ThemeProvider>
  );
}

describe('useColumns', () => {
  it('stores visible columns and widths', async () => {
    const { unmount } = render(<Choosing />);
    expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual(['Id', 'Model']);
    fireEvent.keyDown(screen.getByRole('separator', { name: 'Width of Id' }), { key: 'ArrowRight' });
    fireEvent.click(screen.getByRole('button', { name: 'Columns' }));
    fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'Day', hidden: true }));
    unmount();
    render(<Choosing />);
    expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
      'Id',
      'Model',
      'Day',
    ]);
    expect(screen.getByRole('grid').style.getPropertyValue('--grid-template')).toMatch(
      /^100px minmax\(120px, 1fr\) 80px$/,
    );
  });

  it('changes the width of a growing column from the width that it has', () => {
    render(<Choosing />);
    const handle = screen.getByRole('separator', { name: 'Width of Model' });
    handle.parentElement!.getBoundingClientRect = () => ({ width: 600 }) as DOMRect;
    fireEvent.keyDown(handle, { key: 'ArrowRight' });
    expect(screen.getByRole('grid').style.getPropertyValue('--grid-template')).toBe('90px 610px');
  });

  it('keeps the widths that another tab has stored when the visible columns change', async () => {
    render(<Choosing />);
    localStorage.setItem('tollgate:grid:logs', '{"shown":null,"widths":{"id":222}}');
    fireEvent.click(screen.getByRole('button', { name: 'Columns' }));
    fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'Day', hidden: true }));
    expect(JSON.parse(localStorage.getItem('tollgate:grid:logs') ?? '')).toEqual({
      shown: ['id', 'model', 'day'],
      widths: { id: 222 },
    });
  });

  it('ignores an invalid stored choice', () => {
    localStorage.setItem('tollgate:grid:logs', '{"shown":[1],"widths":{"id":"wide"}}');
    render(<Choosing />);
    expect(screen.getAllByRole('columnheader')).toHaveLength(2);
  });
});
