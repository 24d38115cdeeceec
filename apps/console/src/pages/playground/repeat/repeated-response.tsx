import type { ReactElement } from 'react';
import { isRunning, type Run } from '../../../gateway';
import type { LogRow } from '../../../live';
import { playground } from '../../../messages';
import { runMany as text } from '../../../messages/en/run-many';
import { parseE8 } from '../../../ui/format';
import { Dot, Duration, Money, StatusBadge, type Priced } from '../../../ui/primitives';
import { Failed } from '../../../ui/states';
import { ColumnLog } from '../columns/column-log';

interface RepeatedResponseProps {
  readonly number: number;
  readonly run: Run;
  readonly log: LogRow | null | undefined;
}

/** One of the repeated responses with its figures or error. */
export function RepeatedResponse({ number, run, log }: RepeatedResponseProps): ReactElement {
  return (
    <li>
      <details open={run.problem !== null}>
        <summary className="row xs">
          <b>{text.answer(number)}</b>
          {isRunning(run) && <Dot live />}
          {run.httpStatus !== null && <StatusBadge status={run.httpStatus} />}
          {run.status === 'stopped' && <span className="muted">{playground.stopped}</span>}
          <Duration ms={run.tookMs} />
          {log != null && <Money e8={parseE8(log.cost_exact)} priced={log.priced as Priced} as="exact" />}
          <span className="ell muted private">{run.text}</span>
        </summary>
        <div
          className="private playground-repeated-text"
          tabIndex={0}
          role="region"
          aria-label={text.answer(number)}
        >
          {run.problem === null ? (
            <p className="playground-text">{run.text}</p>
          ) : (
            <Failed problem={run.problem} />
          )}
        </div>
        <p className="row xs">
          <ColumnLog run={run} log={log} />
        </p>
      </details>
    </li>
  );
}
