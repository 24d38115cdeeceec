import type { ReactElement } from 'react';
import { e8 } from '../../../api';
import { isRunning, tokensPerSecond, type Run } from '../../../gateway';
import type { LogRow } from '../../../live';
import { playground as text } from '../../../messages';
import { Count, Duration, Money, type Priced } from '../../../ui/primitives';

interface ColumnFiguresProps {
  readonly run: Run;
  /** Log of the run; null or undefined when it is not stored yet. */
  readonly log: LogRow | null | undefined;
}

/** Time to first token, duration, tokens and exact cost of a response. */
export function ColumnFigures({ run, log }: ColumnFiguresProps): ReactElement {
  const input = run.inputTokens ?? log?.req_units ?? null;
  const output = run.outputTokens ?? log?.res_units ?? null;
  const speed = tokensPerSecond({ ...run, outputTokens: output });
  return (
    <dl className="playground-figures num xs">
      <div>
        <dt>{text.firstToken}</dt>
        <dd>{run.firstTokenMs === null ? '–' : <Duration ms={run.firstTokenMs} />}</dd>
      </div>
      <div>
        <dt>{isRunning(run) ? text.soFar : text.inAll}</dt>
        <dd>
          <Duration ms={run.tookMs} />
        </dd>
      </div>
      <div>
        <dt>{text.tokens}</dt>
        <dd>
          {input === null ? '–' : <Count value={input} />} +{' '}
          {output === null ? '–' : <Count value={output} />}
        </dd>
      </div>
      <div>
        <dt>{text.speed}</dt>
        <dd>{speed === null ? '–' : text.perSecond(speed)}</dd>
      </div>
      <div>
        <dt>{text.cost}</dt>
        <dd>
          {log == null ? (
            '–'
          ) : (
            <Money e8={e8(log.cost_exact ?? '')} priced={log.priced as Priced} as="exact" />
          )}
        </dd>
      </div>
    </dl>
  );
}
