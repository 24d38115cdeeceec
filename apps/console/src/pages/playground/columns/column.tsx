import { ActionIcon, Button, Popover, SegmentedControl, TextInput } from '@mantine/core';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { isRunning, tokensPerSecond, type Run } from '../../../gateway';
import { playground as text } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { Dot, StatusBadge } from '../../../ui/primitives';
import { Parameters } from '../draft/parameters';
import type { ColumnSettings } from '../search';
import { Answer } from './answer';
import { ColumnFigures } from './column-figures';
import { TargetPicker, wordsOf } from './target-picker';
import { useRunLog } from './use-run-log';
import { ColumnLog } from './column-log';
import { Thumbs } from './thumbs';

const RawExchange = lazy(async () => ({ default: (await import('./raw-exchange')).RawExchange }));

type View = 'answer' | 'raw';

interface ColumnProps {
  readonly number: number;
  readonly column: ColumnSettings;
  readonly run: Run | undefined;
  readonly onChange: (column: ColumnSettings) => void;
  /** Absent: the only one stays. */
  readonly onRemove?: () => void;
  /** False: it has no way yet, or what it sends is not whole. */
  readonly canSend: boolean;
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
  canSend,
  onSend,
  onStop,
}: ColumnProps): ReactElement {
  const log = useRunLog(run);
  const label = text.column(number);
  const [view, setView] = useState<View>('answer');
  const exchange = run?.exchange ?? null;
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
      {exchange !== null && (
        <SegmentedControl
          size="xs"
          className="playground-views"
          aria-label={text.view(number)}
          value={view}
          onChange={setView}
          data={[
            { value: 'answer', label: text.views.answer },
            { value: 'raw', label: text.views.raw },
          ]}
        />
      )}
      {/* The text scrolls, so it can be reached by the keyboard. */}
      <div
        className="playground-answer private"
        tabIndex={0}
        role="region"
        aria-label={text.answer(number)}
        aria-busy={run !== undefined && isRunning(run)}
      >
        {view === 'raw' && exchange !== null ? (
          <Suspense>
            <RawExchange exchange={exchange} status={run?.httpStatus ?? null} />
          </Suspense>
        ) : (
          <Answer run={run} words={wordsOf(column)} onSend={onSend} />
        )}
      </div>
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
            <Button size="xs" className="right" onClick={onSend} disabled={!canSend}>
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
