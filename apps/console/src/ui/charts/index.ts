// The chart over time comes from `time-chart`, with the package that draws it.
export { Meter, type MeterProps } from './meter';
export { Spark, type SeriesColor, type SparkProps } from './spark';
