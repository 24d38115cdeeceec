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
  /** Absent: the only one stays. */
  readonly onRemove?: () => void;
  /** False: it has no way yet, or what it sends is not whole. */
  readonly canSend: boolean;
  readonly onSend: () => void;
  readonly onStop: () => void;
  /** Sends its request several times. */
  readonly onRepeat: () => void;
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
