import { useEffect, useRef, useSyncExternalStore, type RefObject } from 'react';
import { barPaths, createChart, type Chart, type ChartData } from './chart-engine';
import { chartOptions, type ChartLook } from './chart-options';

export type ChartInput = Omit<ChartLook, 'colour' | 'barPaths'>;

const colour = (token: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(token).trim();

const themeOf = (): string => document.documentElement.dataset['theme'] ?? '';

function watchTheme(onChange: () => void): () => void {
  const changes = new MutationObserver(onChange);
  changes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => changes.disconnect();
}

/**
 * Scales the time axis from the first time to the end of the last bucket. The value axis scales
 * automatically.
 */
function scaleTime(
  chart: Chart,
  [times]: ChartData,
  { as, bucketMs }: Pick<ChartLook, 'as' | 'bucketMs'>,
): void {
  const [first, last] = [times[0], times[times.length - 1]];
  if (first === undefined || last === undefined) return;
  chart.setScale('x', { min: first, max: as === 'lines' && last > first ? last : last + bucketMs / 1000 });
}

/**
 * Keeps a uPlot chart in an element. Creates a new chart when its look or the theme changes,
 * because uPlot caches colours; otherwise updates its data and its size.
 */
export function useChart(
  element: RefObject<HTMLDivElement | null>,
  input: ChartInput,
  data: ChartData,
  height: number,
): RefObject<Chart | null> {
  const chart = useRef<Chart | null>(null);
  const current = useRef({ input, data });
  useEffect(() => {
    current.current = { input, data };
  });
  const { as, series, hasComparison, axes, bucketMs, zone, syncKey } = input;
  const theme = useSyncExternalStore(watchTheme, themeOf);
  const key = JSON.stringify([
    theme,
    as,
    axes,
    bucketMs,
    zone,
    syncKey,
    hasComparison,
    height,
    series.map(({ id, color }) => [id, color]),
  ]);
  useEffect(() => {
    const root = element.current;
    if (root === null) return undefined;
    const look = lookOf(() => current.current.input);
    const size = { width: Math.max(1, root.clientWidth), height };
    const made = createChart(chartOptions(look, size), current.current.data, root);
    chart.current = made;
    scaleTime(made, current.current.data, look);
    const sizes = new ResizeObserver(() => {
      const width = Math.max(1, root.clientWidth);
      // The observer also reports the initial size, at which the chart is already drawn.
      if (width !== made.width) made.setSize({ width, height });
    });
    sizes.observe(root);
    return () => {
      sizes.disconnect();
      made.destroy();
      chart.current = null;
    };
  }, [element, key, height]);
  useEffect(() => {
    if (chart.current === null) return;
    chart.current.setData(data, false);
    scaleTime(chart.current, data, { as, bucketMs });
  }, [data, as, bucketMs]);
  const { markers, thresholds } = input;
  useEffect(() => chart.current?.redraw(false), [markers, thresholds]);
  return chart;
}

/** Returns a look that reads its values lazily, so that they can change without a new chart. */
function lookOf(latest: () => ChartInput): ChartLook {
  const look: ChartLook = {
    ...latest(),
    colour,
    barPaths: barPaths(),
    format: (value) => latest().format(value),
    onCursor: (index) => latest().onCursor(index),
    onSelect: (from, to) => latest().onSelect(from, to),
    onPick: (index) => latest().onPick(index),
  };
  return Object.defineProperties(look, {
    markers: { get: () => latest().markers },
    thresholds: { get: () => latest().thresholds },
  });
}
