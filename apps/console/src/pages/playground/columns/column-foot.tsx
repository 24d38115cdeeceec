import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { isRunning, tokensPerSecond, type Run } from '../../../gateway';
import { playground as text } from '../../../messages';
import { runMany } from '../../../messages/en/run-many';
import { Icon } from '../../../ui/icons/icon';
import { Dot, StatusBadge } from '../../../ui/primitives';
import { ColumnFigures } from './column-figures';
import { ColumnLog } from './column-log';
import { Thumbs } from './thumbs';
import { useRunLog } from './use-run-log';

interface ColumnFootProps {
  readonly number: number;
  readonly run: Run | undefined;
  readonly canSend: boolean;
  readonly onSend: () => void;
  readonly onStop: () => void;
  /** Opens the dialog that sends the request several times. */
  readonly onRepeat: () => void;
}

/**
 * Footer of a column: figures and outcome of the response, and the button that sends or stops the
 * request.
 */
export function ColumnFoot({
  number,
  run,
  canSend,
  onSend,
  onStop,
  onRepeat,
}: ColumnFootProps): ReactElement {
  const log = useRunLog(run);
  return (
    <>
      {run !== undefined && <ColumnFigures run={run} log={log} />}
      <footer className="row xs playground-column-foot">
        {run === undefined || !isRunning(run) ? (
          <>
            {run?.httpStatus != null && <StatusBadge status={run.httpStatus} />}
            {run?.status === 'stopped' && <span className="muted">{text.stopped}</span>}
            {run !== undefined && <ColumnLog run={run} log={log} />}
            {run?.status === 'done' && run.traceId !== null && (
              <Thumbs key={run.traceId} traceId={run.traceId} number={number} />
            )}
            <Button
              size="xs"
              variant="subtle"
              className="right"
              aria-label={runMany.openFor(number)}
              onClick={onRepeat}
              disabled={!canSend}
            >
              {runMany.open}
            </Button>
            <Button size="xs" onClick={onSend} disabled={!canSend}>
              {text.run}
            </Button>
          </>
        ) : (
          <>
            <span className="row muted">
              <Dot live /> {text.streaming(tokensPerSecond(run))}
            </span>
            <Button
              size="xs"
              className="right"
              leftSection={<Icon name="pause" size={12} />}
              aria-label={text.stopColumn(number)}
              onClick={onStop}
            >
              {text.stop}
            </Button>
          </>
        )}
      </footer>
    </>
  );
}
