import { ActionIcon, Button, Popover, TextInput } from '@mantine/core';
import { lazy, Suspense, type ReactElement } from 'react';
import { isRunning, tokensPerSecond, type Run } from '../../../gateway';
import { playground as text } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { Dot, StatusBadge } from '../../../ui/primitives';
import { Empty, Failed } from '../../../ui/states';
import { Parameters } from '../draft/parameters';
import type { ColumnSettings } from '../search';
import { ColumnFigures } from './column-figures';
import { TargetPicker, wordsOf } from './target-picker';
import { useRunLog } from './use-run-log';
import { ColumnLog } from './column-log';

const Markdown = lazy(async () => ({ default: (await import('../../../ui/body')).Markdown }));

interface ColumnProps {
  readonly number: number;
  readonly column: ColumnSettings;
  readonly run: Run | undefined;
  readonly onChange: (column: ColumnSettings) => void;
  /** Absent: the only one stays. */
  readonly onRemove?: () => void;
  readonly onSend: () => void;
  readonly onStop: () => void;
}

/** One answer: what gave it, its text as it arrives, its figures. */
export function Column({
  number,
  column,
  run,
  onChange,
  onRemove,
  onSend,
  onStop,
}: ColumnProps): ReactElement {
  const log = useRunLog(run);
  const label = text.column(number);
  return (
    <section className="pane playground-column" aria-label={label}>
      <header className="row playground-column-head">
        <div className="grow">
          <TargetPicker
            column={column}
            label={text.target(number)}
            onChange={(change) => onChange({ ...column, ...change })}
          />
        </div>
        <ColumnSettingsButton number={number} column={column} onChange={onChange} />
        {onRemove !== undefined && (
          <ActionIcon aria-label={text.removeColumn(number)} onClick={onRemove}>
            <Icon name="close" size={14} />
          </ActionIcon>
        )}
      </header>
      {/* The text scrolls, so it can be reached by the keyboard. */}
      <div
        className="playground-answer private"
        tabIndex={0}
        role="region"
        aria-label={text.answer(number)}
        aria-busy={run !== undefined && isRunning(run)}
      >
        <Answer run={run} words={wordsOf(column)} onSend={onSend} />
      </div>
      {run !== undefined && <ColumnFigures run={run} log={log} />}
      <footer className="row xs playground-column-foot">
        {run === undefined || !isRunning(run) ? (
          <>
            {run?.httpStatus != null && <StatusBadge status={run.httpStatus} />}
            {run?.status === 'stopped' && <span className="muted">{text.stopped}</span>}
            {run !== undefined && <ColumnLog run={run} log={log} />}
            <Button size="xs" className="right" onClick={onSend} disabled={column.target === ''}>
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
    </section>
  );
}

interface AnswerProps {
  readonly run: Run | undefined;
  readonly words: string;
  readonly onSend: () => void;
}

function Answer({ run, words, onSend }: AnswerProps): ReactElement {
  if (run === undefined)
    return <Empty title={words === '' ? text.noTarget : text.noAnswer}>{text.noAnswerText}</Empty>;
  const plain = <p className="playground-text">{run.text}</p>;
  return (
    <>
      {isRunning(run) ? (
        plain
      ) : (
        <Suspense fallback={plain}>
          <Markdown text={run.text} />
        </Suspense>
      )}
      {run.isCut && <p className="xs muted">{text.cut}</p>}
      {run.problem !== null && <Failed problem={run.problem} onRetry={onSend} />}
    </>
  );
}

type SettingsProps = Pick<ColumnProps, 'number' | 'column' | 'onChange'>;

function ColumnSettingsButton({ number, column, onChange }: SettingsProps): ReactElement {
  return (
    <Popover position="bottom-end" width={280} trapFocus>
      <Popover.Target>
        <ActionIcon aria-label={text.settings(number)}>
          <Icon name="sliders" size={14} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <div className="col">
          <TextInput
            label={text.model}
            description={text.modelHint}
            value={column.model}
            onChange={(event) => onChange({ ...column, model: event.currentTarget.value })}
          />
          <Parameters
            values={column}
            usual={text.shared}
            onChange={(change) => onChange({ ...column, ...change })}
          />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
