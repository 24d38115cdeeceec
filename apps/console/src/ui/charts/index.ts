export { Meter, type MeterProps } from './meter';
export { Spark, type SeriesColor, type SparkProps } from './spark';
export { TimeChart, type TimeChartProps } from './time-chart';
export type { ChartSeries } from './series';
