import { useMemo, useRef, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { moment } from '../format';
import { useFormat } from '../primitives/format-context';
import type { ChartData } from './chart-engine';
import { ChartLegend } from './chart-legend';
import { ChartTable } from './chart-table';
import { snapped, stacked, type ChartSeries } from './series';
import { useChart } from './use-chart';
import { useChartCursor } from './use-chart-cursor';
import { useChartTable } from './use-chart-table';

const NONE: readonly never[] = [];

export interface TimeChartProps {
  /** Accessible description. */
  readonly label: string;
  /** Starts of the buckets in Unix milliseconds, ascending. */
  readonly times: readonly number[];
  readonly bucketMs: number;
  readonly series: readonly ChartSeries[];
  readonly as?: 'bars' | 'stacked' | 'lines';
  readonly format: (value: number) => string;
  readonly height?: number;
  readonly axes?: 'full' | 'time' | 'none';
  /**
   * Called with a range in whole buckets, in milliseconds, that the user selected by dragging or by
   * keys.
   */
  readonly onZoom?: (from: number, to: number) => void;
  /** Called with the bucket that the user clicked or chose with Enter. */
  readonly onPick?: (from: number, to: number) => void;
  /** Values of the previous range, drawn dashed. */
  readonly comparison?: readonly (number | null)[];
  readonly markers?: readonly { readonly at: number; readonly label: string }[];
  readonly thresholds?: readonly { readonly value: number; readonly label: string }[];
  /** Charts with the same key share their cursor. */
  readonly syncKey?: string;
  /** False to hide the legend above the chart. */
  readonly legend?: boolean;
}

/**
 * Chart of values over time. Arrow keys move the cursor, Shift selects, Enter zooms or picks, `T`
 * changes between the chart and a table.
 */
export function TimeChart(props: TimeChartProps): ReactElement {
  const {
    label,
    times,
    bucketMs,
    series,
    as = 'stacked',
    format,
    height = 200,
    axes = 'full',
    onZoom,
    onPick,
  } = props;
  const { comparison, markers = NONE, thresholds = NONE, syncKey, legend = true } = props;
  const { zone } = useFormat();
  const element = useRef<HTMLDivElement>(null);
  const { plot, table, isTable, toggle, toggleByKey, onTableKey } = useChartTable();
  const data = useMemo(() => chartData(times, series, as, comparison), [times, series, as, comparison]);
  const zoom = (from: number, to: number): void => {
    const range = snapped(from, to, times, bucketMs);
    if (range !== null) onZoom?.(range.from, range.to);
  };
  const pick = (index: number): void => {
    const from = times[index];
    if (from !== undefined) onPick?.(from, from + bucketMs);
  };
  const { at, setAt, onKeyDown } = useChartCursor({
    count: times.length,
    onPick: pick,
    onSelect: (first, last) => {
      const [from, to] = [times[first], times[last]];
      if (from !== undefined && to !== undefined) zoom(from, to + bucketMs);
    },
    onTable: toggleByKey,
  });
  const hasComparison = comparison !== undefined;
  useChart(
    element,
    {
      as,
      series,
      hasComparison,
      bucketMs,
      zone,
      format,
      thresholds,
      markers,
      axes,
      syncKey,
      onCursor: setAt,
      onSelect: zoom,
      onPick: pick,
    },
    data,
    height,
  );

  const words = at === null ? null : cursorWords(at, props, zone);
  return (
    <figure className="time-chart" aria-label={label}>
      {legend && <ChartLegend series={series} isTable={isTable} onTable={toggle} />}
      <div
        ref={plot}
        className="time-chart-plot"
        hidden={isTable}
        tabIndex={0}
        role="img"
        aria-label={uiText.chart.plot(label)}
        style={{ height }}
        onKeyDown={onKeyDown}
        onBlur={() => setAt(null)}
      >
        <div ref={element} />
        {words !== null && times.length > 0 && (
          <div
            className="time-chart-tip"
            style={{ left: tipLeft(((at ?? 0) + 0.5) / times.length, axes) }}
            data-side={(at ?? 0) * 2 > times.length ? 'left' : 'right'}
          >
            {words.map((line, place) => (
              // Two changes in one bucket can have the same words.
              <div key={place}>{line}</div>
            ))}
          </div>
        )}
      </div>
      <span className="visually-hidden" role="status">
        {words?.join(', ')}
      </span>
      {isTable && <ChartTable {...props} ref={table} onKeyDown={onTableKey} maxHeight={height + 40} />}
    </figure>
  );
}

/**
 * Left position of the tooltip. The value axis takes 46 px at the left; 8 px stay free at the
 * right.
 */
const tipLeft = (share: number, axes: string): string =>
  axes === 'full' ? `calc(46px + ${share} * (100% - 54px))` : `${share * 100}%`;

/**
 * Converts series to uPlot data. Stacked series become sums, last series first, which is the
 * drawing order.
 */
function chartData(
  times: readonly number[],
  series: readonly ChartSeries[],
  as: NonNullable<TimeChartProps['as']>,
  comparison: readonly (number | null)[] | undefined,
): ChartData {
  const values = series.map((one) => [...one.values]);
  const drawn =
    as === 'stacked' ? stacked(values).toReversed() : as === 'bars' ? values.toReversed() : values;
  return [times.map((at) => at / 1000), ...drawn, ...(comparison === undefined ? [] : [[...comparison]])];
}

function cursorWords(
  at: number,
  { times, series, format, markers, bucketMs }: TimeChartProps,
  zone: string,
): readonly string[] {
  const time = times[at];
  if (time === undefined) return [];
  const changes = (markers ?? []).filter((marker) => marker.at >= time && marker.at < time + bucketMs);
  return [
    moment(time, zone),
    ...series.map(
      ({ label, values }) =>
        `${label} ${values[at] === null || values[at] === undefined ? '–' : format(values[at])}`,
    ),
    ...changes.map(({ label }) => label),
  ];
}
