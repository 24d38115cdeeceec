import type uPlot from 'uplot';
import { clockMinutes, dayAndMonth, startOfDay, type Zone } from '../format';
import { colorOf, dashOf, type ChartSeries } from './series';

/** Appearance and behaviour of a chart, without its data. */
export interface ChartLook {
  readonly as: 'bars' | 'stacked' | 'lines';
  readonly series: readonly ChartSeries[];
  readonly hasComparison: boolean;
  /** Milliseconds between two points. */
  readonly bucketMs: number;
  readonly zone: Zone;
  readonly format: (value: number) => string;
  readonly thresholds: readonly { readonly value: number; readonly label: string }[];
  readonly markers: readonly { readonly at: number; readonly label: string }[];
  /** `none` shows bars only, as in the histogram above a list. */
  readonly axes: 'full' | 'time' | 'none';
  readonly syncKey: string | undefined;
  /** Resolves a colour token of the theme. */
  readonly colour: (token: string) => string;
  readonly barPaths: uPlot.Series.PathBuilder;
  readonly onCursor: (index: number | null) => void;
  readonly onSelect: (from: number, to: number) => void;
  readonly onPick: (index: number) => void;
}

/** Converts a look to uPlot options. Times of uPlot are in seconds. */
export function chartOptions(
  look: ChartLook,
  size: { readonly width: number; readonly height: number },
): uPlot.Options {
  const { axes, syncKey, as } = look;
  const isTop = axes === 'none';
  return {
    ...size,
    padding: isTop ? [2, 0, 0, 0] : [8, 8, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false },
      points: { show: as === 'lines' },
      ...(syncKey === undefined ? {} : { sync: { key: syncKey } }),
    },
    scales: {
      x: { time: true, auto: false },
      y: {
        range: (_, low, high) => [
          Math.min(0, low ?? 0),
          Math.max(high ?? 0, ...look.thresholds.map(({ value }) => value), 1e-9) * (isTop ? 1 : 1.05),
        ],
      },
    },
    axes: [timeAxis(look), valueAxis(look)],
    series: [{}, ...seriesOptions(look)],
    hooks: {
      setCursor: [(chart) => look.onCursor(chart.cursor.idx ?? null)],
      setSelect: [
        (chart) => {
          const { left, width } = chart.select;
          if (width > 2)
            look.onSelect(chart.posToVal(left, 'x') * 1000, chart.posToVal(left + width, 'x') * 1000);
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
      draw: [(chart) => drawLines(chart, look)],
      ready: [
        (chart) =>
          chart.over.addEventListener('click', () => {
            const { idx } = chart.cursor;
            if (idx !== null && idx !== undefined && chart.select.width <= 2) look.onPick(idx);
          }),
      ],
    },
  };
}

/**
 * Options of the series. Stacked series are drawn from the highest sum down, so that each shows its
 * own part.
 */
function seriesOptions({ as, series, hasComparison, colour, barPaths }: ChartLook): uPlot.Series[] {
  const options = series.map((one, at): uPlot.Series => {
    const token = `--${colorOf(one, at)}`;
    if (as === 'lines') {
      return {
        label: one.label,
        stroke: () => colour(token),
        width: 1.5,
        dash: [...dashOf(at)],
        points: { show: false },
        spanGaps: false,
      };
    }
    return {
      label: one.label,
      fill: () => colour(token),
      width: 0,
      paths: barPaths,
      points: { show: false },
    };
  });
  const comparison: uPlot.Series = {
    stroke: () => colour('--text-3'),
    width: 1.5,
    dash: [4, 4],
    points: { show: false },
    spanGaps: false,
  };
  return [...(as === 'lines' ? options : options.toReversed()), ...(hasComparison ? [comparison] : [])];
}

function timeAxis({ axes, zone, colour, bucketMs }: ChartLook): uPlot.Axis {
  return {
    show: axes !== 'none',
    size: 22,
    gap: 4,
    font: '11px Inter Variable, Inter, system-ui, sans-serif',
    stroke: () => colour('--text-3'),
    grid: { show: false },
    ticks: { show: false },
    values: (_, splits) =>
      splits.map((seconds) => {
        const at = seconds * 1000;
        return bucketMs >= 86_400_000 || startOfDay(at, zone) === at
          ? dayAndMonth(at, zone)
          : clockMinutes(at, zone);
      }),
  };
}

function valueAxis({ axes, format, colour }: ChartLook): uPlot.Axis {
  return {
    show: axes === 'full',
    size: 46,
    gap: 4,
    font: '11px Inter Variable, Inter, system-ui, sans-serif',
    stroke: () => colour('--text-3'),
    grid: { stroke: () => colour('--grid'), width: 1 },
    ticks: { show: false },
    values: (_, splits) => splits.map((value) => format(value)),
  };
}

/** Draws markers as vertical lines and thresholds as horizontal ones. */
function drawLines(chart: uPlot, { markers, thresholds, colour }: ChartLook): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.setLineDash([4, 4]);
  ctx.lineWidth = 1;
  const line = (token: string, from: readonly [number, number], to: readonly [number, number]): void => {
    ctx.strokeStyle = colour(token);
    ctx.beginPath();
    ctx.moveTo(...from);
    ctx.lineTo(...to);
    ctx.stroke();
  };
  for (const { at } of markers) {
    const x = chart.valToPos(at / 1000, 'x', true);
    if (x >= bbox.left && x <= bbox.left + bbox.width)
      line('--text-3', [x, bbox.top], [x, bbox.top + bbox.height]);
  }
  for (const { value } of thresholds) {
    const y = chart.valToPos(value, 'y', true);
    if (y >= bbox.top) line('--danger', [bbox.left, y], [bbox.left + bbox.width, y]);
  }
  ctx.restore();
}
