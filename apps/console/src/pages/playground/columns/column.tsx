import { SegmentedControl } from '@mantine/core';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { isRunning, type Run } from '../../../gateway';
import { playground as text } from '../../../messages';
import type { ColumnSettings } from '../search';
import { ColumnResponse } from './column-response';
import { ColumnFoot } from './column-foot';
import { ColumnHead } from './column-head';
import { wordsOf } from './target-picker';

const RawMessages = lazy(async () => ({ default: (await import('./raw-messages')).RawMessages }));

type View = 'response' | 'raw';

interface ColumnProps {
  /** Position among the columns, from 1. */
  readonly number: number;
  readonly column: ColumnSettings;
  /** Latest run of the column; undefined before its first. */
  readonly run: Run | undefined;
  readonly onChange: (column: ColumnSettings) => void;
  /** Removes the column; absent for the only column. */
  readonly onRemove?: () => void;
  /**
   * False when the request is incomplete, or the column lacks a target that the API needs: only a
   * raw request needs none.
   */
  readonly canSend: boolean;
  readonly onSend: () => void;
  readonly onStop: () => void;
  /** Opens the dialog that sends the request several times. */
  readonly onRepeat: () => void;
}

/**
 * Column of one response: its target, its content as it arrives or the raw HTTP messages, and its
 * figures.
 */
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
  const [view, setView] = useState<View>('response');
  const httpMessages = run?.httpMessages ?? null;
  return (
    <section className="pane playground-column" aria-label={label}>
      <ColumnHead number={number} column={column} onChange={onChange} onRemove={onRemove} />
      {httpMessages !== null && (
        <SegmentedControl
          size="xs"
          className="playground-views"
          aria-label={text.view(number)}
          value={view}
          onChange={setView}
          data={[
            { value: 'response', label: text.views.response },
            { value: 'raw', label: text.views.raw },
          ]}
        />
      )}
      {/* The response scrolls, so it must be focusable for keyboard users. */}
      <div
        className="playground-response private"
        tabIndex={0}
        role="region"
        aria-label={text.answer(number)}
        aria-busy={run !== undefined && isRunning(run)}
      >
        {view === 'raw' && httpMessages !== null ? (
          <Suspense>
            <RawMessages httpMessages={httpMessages} status={run?.httpStatus ?? null} />
          </Suspense>
        ) : (
          <ColumnResponse run={run} words={wordsOf(column)} onSend={onSend} />
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
