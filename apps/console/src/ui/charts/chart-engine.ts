import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

/**
 * Paths of bars that start at their time, with a small gap to the next one; an area when bars would
 * be narrower than a pixel.
 */
export const barPaths = (): uPlot.Series.PathBuilder => {
  const bars = uPlot.paths.bars?.({ size: [0.86, 100], align: 1, radius: 0 });
  const area = uPlot.paths.linear?.();
  if (bars === undefined || area === undefined) throw new Error('uPlot has no bars.');
  return (chart, series, from, to) => (to - from > chart.bbox.width ? area : bars)(chart, series, from, to);
};

/** Draws a chart into an element. */
export const createChart = (options: uPlot.Options, data: uPlot.AlignedData, element: HTMLElement): uPlot =>
  new uPlot(options, data, element);

export type Chart = uPlot;
export type ChartData = uPlot.AlignedData;
