import { SegmentedControl } from '@mantine/core';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { isRunning, type Run } from '../../../gateway';
import { playground as text } from '../../../messages';
import type { ColumnSettings } from '../search';
import { Answer } from './answer';
import { ColumnFoot } from './column-foot';
import { ColumnHead } from './column-head';
import { wordsOf } from './target-picker';

const RawExchange = lazy(async () => ({ default: (await import('./raw-exchange')).RawExchange }));

type View = 'answer' | 'raw';

interface ColumnProps {
  readonly number: number;
  readonly column: ColumnSettings;
  readonly run: Run | undefined;
  readonly onChange: (column: ColumnSettings) => void;
  /** Removes the column; absent for the only column. */
  readonly onRemove?: () => void;
  /** False when the column has no target or the request is incomplete. */
  readonly canSend: boolean;
  readonly onSend: () => void;
  readonly onStop: () => void;
  /** Opens the dialog that sends the request several times. */
  readonly onRepeat: () => void;
}

/** Column of one response: its target, its text as it arrives, and its figures. */
export function Column({
  number,
  column,
  run,
  onChange,
  onRemove,
  canSend,
  onSend,
  onStop,
  onRepeat,
}: ColumnProps): ReactElement {
  const label = text.column(number);
  const [view, setView] = useState<View>('answer');
  const exchange = run?.exchange ?? null;
  return (
    <section className="pane playground-column" aria-label={label}>
      <ColumnHead number={number} column={column} onChange={onChange} onRemove={onRemove} />
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
      {/* The text scrolls, so it must be focusable for keyboard users. */}
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
      <ColumnFoot
        number={number}
        run={run}
        canSend={canSend}
        onSend={onSend}
        onStop={onStop}
        onRepeat={onRepeat}
      />
    </section>
  );
}
