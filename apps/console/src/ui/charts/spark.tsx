import type { CSSProperties, ReactElement } from 'react';
import { sparkPath } from './spark-path';

export type SeriesColor =
  'c1' | 'c2' | 'c3' | 'c4' | 'c5' | 'c6' | 'c7' | 'c-other' | 'ok' | 'warn' | 'danger' | 'violet';

export interface SparkProps {
  /** Values of the line; null is a gap. */
  readonly values: readonly (number | null)[];
  /** Accessible description, such as `Requests of 24 h, from 120 to 301`. */
  readonly label: string;
  readonly color?: SeriesColor;
  readonly width?: number;
  readonly height?: number;
}

/** Sparkline without axes, meant to be next to the current value. */
export function Spark({ values, label, color = 'c1', width = 84, height = 28 }: SparkProps): ReactElement {
  const { line, area } = sparkPath(values, width, height);
  return (
    <svg
      className="spark"
      role="img"
      aria-label={label}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      style={{ '--series': `var(--${color})` } as CSSProperties}
    >
      <path className="spark-area" d={area} />
      <path className="spark-line" d={line} />
    </svg>
  );
}
