import { Button, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, type ReactElement } from 'react';
import type { LogRow } from '../../../live';
import { logs } from '../../../messages/en/logs';
import { Id } from '../../../ui/primitives';
import { FeedbackForm, type Rating } from '../detail/feedback-form';
import { useRateTraces } from './use-rate-traces';

const text = logs.rateMarked;

interface FeedbackDialogProps {
  readonly rows: readonly LogRow[];
  readonly onClose: () => void;
}

/**
 * Dialog that gives the same feedback to the traces of all marked logs and shows the result of
 * each.
 */
export function FeedbackDialog({ rows, onClose }: FeedbackDialogProps): ReactElement {
  const queries = useQueryClient();
  const traces = useMemo(() => [...new Set(rows.map(({ trace_id: trace }) => trace))], [rows]);
  const { rated, failures, isBusy, rate, stop } = useRateTraces();
  // Skips the traces that already have the feedback.
  const open = traces.filter((trace) => !rated.has(trace));
  const submit = async (rating: Rating): Promise<void> => {
    await rate(open, rating);
    await queries.invalidateQueries({ queryKey: ['logs_get'] });
  };
  return (
    <Modal opened onClose={onClose} title={text.title(traces.length)} size="md">
      <div className="col">
        {open.length > 0 && (
          <FeedbackForm
            isPending={isBusy}
            problem={null}
            button={text.add}
            onSubmit={(rating) => void submit(rating)}
          />
        )}
        {isBusy && <Button onClick={stop}>{text.stop}</Button>}
        <p role="status" className="xs muted">
          {(isBusy || rated.size > 0 || failures.length > 0) && text.done(rated.size, traces.length)}
        </p>
        {failures.length > 0 && (
          <section className="xs tone-danger" aria-label={text.failed}>
            <p role="alert">{text.failed}</p>
            <ul>
              {failures.map(({ trace, message }) => (
                <li key={trace}>
                  <Id id={trace} /> {message}
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </Modal>
  );
}
