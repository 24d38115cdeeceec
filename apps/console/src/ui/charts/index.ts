// `time-chart` is imported separately, because it includes the charting package.
export { Meter, type MeterProps } from './meter';
export { Spark, type SeriesColor, type SparkProps } from './spark';
