import { act, fireEvent, screen, within } from '@testing-library/react';
import fc from 'fast-check';
import { renderUi } from '../spec-support/render-ui';
import { createChart, type Chart } from './chart-engine';
import type { ChartData } from './chart-engine';
import { snapped, stacked, type ChartSeries } from './series';
import { TimeChart, type TimeChartProps } from './time-chart';

jest.mock('./chart-engine', () => ({
  barPaths: () => () => null,
  createChart: jest.fn(() => ({
    setData: jest.fn(),
    setScale: jest.fn(),
    setSize: jest.fn(),
    redraw: jest.fn(),
    destroy: jest.fn(),
  })),
}));
const created = createChart as unknown as jest.Mock<Chart, [uPlot.Options, ChartData, HTMLElement]>;

const HOUR = 3_600_000;
const start = Date.UTC(2026, 10, 23);
const times = [0, 1, 2, 3].map((at) => start + at * HOUR);
const series: readonly ChartSeries[] = [
  { id: 'ok', label: 'ok', values: [10, 20, null, 40] },
  { id: 'failed', label: 'failed', color: 'danger', values: [1, 0, null, 4] },
];

describe('stacked', () => {
  it('adds each series to those before it, and keeps gaps', () => {
    expect(stacked(series.map(({ values }) => values))).toEqual([
      [10, 20, null, 40],
      [11, 20, null, 44],
    ]);
  });

  it('returns the sum of all series as the last one', () => {
    const lists = fc.array(fc.array(fc.option(fc.nat(1000)), { minLength: 5, maxLength: 5 }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(lists, (all) =>
        stacked(all)
          .at(-1)!
          .every((sum, at) => (sum ?? 0) === all.reduce((total, values) => total + (values[at] ?? 0), 0)),
      ),
    );
  });
});

describe('snapped', () => {
  it('extends a selection to whole buckets within the chart', () => {
    expect(snapped(start + 10, start + HOUR + 10, times, HOUR)).toEqual({
      from: start,
      to: start + 2 * HOUR,
    });
    expect(snapped(start + 2 * HOUR, start + 99 * HOUR, times, HOUR)).toEqual({
      from: start + 2 * HOUR,
      to: start + 4 * HOUR,
    });
  });

  it('extends a selection within one bucket to that bucket, in either direction', () => {
    const bucket = { from: start + HOUR, to: start + 2 * HOUR };
    expect(snapped(start + HOUR + 10, start + HOUR + 20, times, HOUR)).toEqual(bucket);
    expect(snapped(start + HOUR + 20, start + HOUR + 10, times, HOUR)).toEqual(bucket);
    expect(snapped(start + HOUR, start + 2 * HOUR, times, HOUR)).toEqual(bucket);
  });

  it('returns null without buckets, for a range after the last one, and for one without length between two', () => {
    expect(snapped(0, 1, [], HOUR)).toBeNull();
    expect(snapped(start + 5 * HOUR, start + 6 * HOUR, times, HOUR)).toBeNull();
    expect(snapped(start + HOUR, start + HOUR, times, HOUR)).toBeNull();
  });
});

describe('TimeChart', () => {
  const onZoom = jest.fn();
  const onPick = jest.fn();
  const show = (more: Partial<TimeChartProps> = {}) =>
    renderUi(
      <TimeChart
        label="Requests"
        times={times}
        bucketMs={HOUR}
        series={series}
        format={(value) => `${value}`}
        onZoom={onZoom}
        onPick={onPick}
        markers={[{ at: start + HOUR + 5, label: 'chat-prod v15' }]}
        {...more}
      />,
    );
  const plot = (): HTMLElement => screen.getByRole('img');
  beforeEach(() => jest.clearAllMocks());

  it('draws stacked sums from the highest down, with times in seconds', () => {
    show();
    const [options, data] = created.mock.lastCall ?? [];
    expect(data).toEqual([times.map((at) => at / 1000), [11, 20, null, 44], [10, 20, null, 40]]);
    expect(options?.series.map(({ label }) => label)).toEqual([undefined, 'failed', 'ok']);
  });

  it('zooms to whole buckets by dragging', () => {
    show();
    const [options] = created.mock.lastCall ?? [];
    const setSelect = jest.fn();
    const chart = {
      select: { left: 10, width: 50 },
      posToVal: (x: number) => (start + (x / 50) * HOUR) / 1000,
      setSelect,
    };
    act(() => options?.hooks?.setSelect?.[0]?.(chart as unknown as Chart));
    expect(onZoom).toHaveBeenCalledWith(start, start + 2 * HOUR);
    expect(setSelect).toHaveBeenCalledWith({ left: 0, top: 0, width: 0, height: 0 }, false);
  });

  it('can be read, picked and zoomed by keyboard', () => {
    show();
    fireEvent.keyDown(plot(), { key: 'ArrowRight' });
    fireEvent.keyDown(plot(), { key: 'ArrowRight' });
    expect(screen.getByRole('status').textContent).toBe('23 Nov 2026, 01:00, ok 20, failed 0, chat-prod v15');
    fireEvent.keyDown(plot(), { key: 'Enter' });
    expect(onPick).toHaveBeenCalledWith(start + HOUR, start + 2 * HOUR);
    fireEvent.keyDown(plot(), { key: 'ArrowRight', shiftKey: true });
    fireEvent.keyDown(plot(), { key: 'Enter' });
    expect(onZoom).toHaveBeenCalledWith(start + HOUR, start + 3 * HOUR);
  });

  it('returns from the table to the chart with the same key, without a legend too', () => {
    show({ legend: false });
    act(() => plot().focus());
    fireEvent.keyDown(plot(), { key: 't' });
    const table = screen.getByRole('region', { name: 'Requests, as a table' });
    expect(document.activeElement).toBe(table);
    fireEvent.keyDown(table, { key: 't' });
    expect(screen.queryByRole('region')).toBeNull();
    expect(document.activeElement).toBe(plot());
  });

  it('begins a new selection after the focus was elsewhere', () => {
    show();
    fireEvent.keyDown(plot(), { key: 'ArrowRight', shiftKey: true });
    fireEvent.blur(plot());
    fireEvent.keyDown(plot(), { key: 'ArrowLeft', shiftKey: true });
    fireEvent.keyDown(plot(), { key: 'Enter' });
    expect(onZoom).toHaveBeenCalledWith(start + 3 * HOUR, start + 4 * HOUR);
  });

  it('shows the same data as a table', () => {
    show({ comparison: [9, 9, 9, null] });
    fireEvent.keyDown(plot(), { key: 't' });
    const rows = within(screen.getByRole('region', { name: 'Requests, as a table' })).getAllByRole('row');
    expect(rows.map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
      ['Time', 'ok', 'failed', 'Before'],
      ['23 Nov 2026, 00:00', '10', '1', '9'],
      ['23 Nov 2026, 01:00', '20', '0', '9'],
      ['23 Nov 2026, 02:00', '–', '–', '9'],
      ['23 Nov 2026, 03:00', '40', '4', '–'],
    ]);
  });
});
