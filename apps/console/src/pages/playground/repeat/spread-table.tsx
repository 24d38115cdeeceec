import type { ReactElement, ReactNode } from 'react';
import type { Run } from '../../../gateway';
import type { LogRow } from '../../../live';
import { runMany as text } from '../../../messages/en/run-many';
import { parseE8 } from '../../../ui/format';
import { Count, Duration, Money } from '../../../ui/primitives';
import { spreadOf, spreadOfMoney, type Spread } from './spread';

interface SpreadTableProps {
  readonly runs: readonly Run[];
  /** Log of each run; null or undefined when it is not stored yet. */
  readonly logs: readonly (LogRow | null | undefined)[];
}

const isNumber = (value: number | null | undefined): value is number => value != null;

/**
 * Table with minimum, median and maximum of time, length and cost of the runs. Times and lengths
 * include successful runs only.
 */
export function SpreadTable({ runs, logs }: SpreadTableProps): ReactElement {
  const done = runs.filter(({ status }) => status === 'done');
  const lengths = runs.map((run, place) =>
    run.status === 'done' ? (run.outputTokens ?? logs[place]?.res_units) : null,
  );
  const costs = logs.flatMap((log) =>
    log == null || log.priced === 'unpriced' ? [] : (parseE8(log.cost_exact) ?? []),
  );
  const duration = (ms: number): ReactNode => <Duration ms={ms} />;
  return (
    <table className="playground-table num">
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">{text.measure}</span>
          </th>
          <th scope="col">{text.least}</th>
          <th scope="col">{text.median}</th>
          <th scope="col">{text.most}</th>
        </tr>
      </thead>
      <tbody>
        <Line
          name={text.firstToken}
          spread={spreadOf(done.map(({ firstTokenMs }) => firstTokenMs).filter(isNumber))}
          cell={duration}
        />
        <Line name={text.took} spread={spreadOf(done.map(({ tookMs }) => tookMs))} cell={duration} />
        <Line
          name={text.cost}
          spread={spreadOfMoney(costs)}
          cell={(e8) => <Money e8={e8} priced="priced" as="exact" />}
        />
        <Line
          name={text.length}
          spread={spreadOf(lengths.filter(isNumber))}
          cell={(tokens) => <Count value={tokens} />}
        />
      </tbody>
    </table>
  );
}

interface LineProps<T> {
  readonly name: string;
  /** The spread to show; null when no run has the value. */
  readonly spread: Spread<T> | null;
  readonly cell: (value: T) => ReactNode;
}

function Line<T>({ name, spread, cell }: LineProps<T>): ReactElement {
  return (
    <tr>
      <th scope="row">{name}</th>
      {(['least', 'median', 'most'] as const).map((which) => (
        <td key={which}>{spread === null ? '–' : cell(spread[which])}</td>
      ))}
    </tr>
  );
}
