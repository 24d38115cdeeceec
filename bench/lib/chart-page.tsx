import '../../apps/console/src/ui/styles';
import { createRoot } from 'react-dom/client';
import { flushSync } from 'react-dom';
import { TimeChart } from '../../apps/console/src/ui/charts/time-chart';
import { FormatProvider } from '../../apps/console/src/ui/primitives/format-context';
import { ThemeProvider } from '../../apps/console/src/ui/theme/theme-provider';

const MINUTE_MS = 60_000;
const times = (points: number) => Array.from({ length: points }, (_, at) => at * MINUTE_MS);
const seriesOf = (count: number, points: number) =>
  Array.from({ length: count }, (_, id) => ({
    id: String(id),
    label: `Series ${String(id)}`,
    values: Array.from({ length: points }, (__, at) => 100 + 50 * Math.sin(at / (20 + id)) + (at % 7)),
  }));

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
let root: ReturnType<typeof createRoot> | null = null;

Object.assign(globalThis, {
  /** Draws a chart; resolves to the milliseconds until the frame after it. */
  drawChart: async (as: 'stacked' | 'lines', series: number, points: number) => {
    root?.unmount();
    const data = { times: times(points), series: seriesOf(series, points) };
    root = createRoot(document.getElementById('root') as HTMLElement);
    await nextFrame();
    const began = performance.now();
    flushSync(() =>
      root?.render(
        <ThemeProvider defaultScheme="light" env="test">
          <FormatProvider zone="UTC">
            <TimeChart label="Chart" bucketMs={MINUTE_MS} as={as} format={String} height={240} {...data} />
          </FormatProvider>
        </ThemeProvider>,
      ),
    );
    await nextFrame();
    return performance.now() - began;
  },
});
