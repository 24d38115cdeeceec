import type { CSSProperties, ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { Icon } from '../icons/icon';
import { colorOf, type ChartSeries } from './series';

export interface ChartLegendProps {
  readonly series: readonly ChartSeries[];
  readonly isTable: boolean;
  readonly onTable: () => void;
}

/**
 * Legend with the names of the series in their colours, and a button that shows the values as a
 * table.
 */
export function ChartLegend({ series, isTable, onTable }: ChartLegendProps): ReactElement {
  return (
    <figcaption className="time-chart-legend">
      {series.map((one, index) => (
        <span key={one.id} className="row">
          <i
            className="time-chart-key"
            style={{ '--series': `var(--${colorOf(one, index)})` } as CSSProperties}
          />
          {one.label}
        </span>
      ))}
      <button
        type="button"
        className="plain-button time-chart-table-button"
        aria-pressed={isTable}
        title={uiText.chart.table}
        aria-label={uiText.chart.table}
        onClick={onTable}
      >
        <Icon name="table" size={14} />
      </button>
    </figcaption>
  );
}
