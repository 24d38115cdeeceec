import type { KeyboardEvent, ReactElement, Ref } from 'react';
import { uiText } from '../../messages/en/ui';
import { moment } from '../format';
import { useFormat } from '../primitives/format-context';
import type { TimeChartProps } from './time-chart';

/** Maximum number of rows; charts in the console have fewer points. */
const ROWS_MAX = 1000;

interface ChartTableProps extends TimeChartProps {
  readonly maxHeight: number;
  readonly ref: Ref<HTMLDivElement>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** The data of a chart as a table. `T` shows the chart again. */
export function ChartTable(props: ChartTableProps): ReactElement {
  const { label, times, series, format, comparison, maxHeight, ref, onKeyDown } = props;
  const { zone } = useFormat();
  const shown = (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : format(value);
  return (
    <div
      ref={ref}
      onKeyDown={onKeyDown}
      className="chart-table"
      style={{ maxHeight }}
      tabIndex={0}
      role="region"
      aria-label={uiText.chart.tableOf(label)}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">{uiText.chart.time}</th>
            {series.map((one) => (
              <th key={one.id} scope="col">
                {one.label}
              </th>
            ))}
            {comparison !== undefined && <th scope="col">{uiText.chart.before}</th>}
          </tr>
        </thead>
        <tbody>
          {times.slice(-ROWS_MAX).map((time, row) => {
            const at = Math.max(0, times.length - ROWS_MAX) + row;
            return (
              <tr key={time}>
                <th scope="row">{moment(time, zone)}</th>
                {series.map((one) => (
                  <td key={one.id}>{shown(one.values[at])}</td>
                ))}
                {comparison !== undefined && <td>{shown(comparison[at])}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
