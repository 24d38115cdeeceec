import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { call, problemFrom } from '../../../api';
import { Can, useWorkspace } from '../../../app';
import { logDetail } from '../../../messages/en/log-detail';
import { Badge, Moment } from '../../../ui/primitives';
import { FeedbackForm, type Rating } from './feedback-form';
import type { LogDetail } from './record';

const text = logDetail.feedback;

/** Tab with the feedback on the trace and a form to add more. */
export function FeedbackTab({ log }: { readonly log: LogDetail }): ReactElement {
  return (
    <div className="col">
      {log.feedback.length === 0 ? (
        <p className="muted">{text.none}</p>
      ) : (
        <ul className="log-feedback col" aria-label={logDetail.tabs.feedback}>
          {log.feedback.map(({ id, value, weight, source, metadata, created_at: at }) => (
            <li key={id} className="row">
              <Badge tone={value > 0 ? 'ok' : value < 0 ? 'danger' : 'neutral'}>{text.value(value)}</Badge>
              <span className="grow ell private">{noteOf(metadata)}</span>
              <span className="xs muted">
                {text.source(source)}
                {weight === 1 ? '' : ` · ${text.weight(weight)}`} · <Moment at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <Can operation="feedback_create">
        <AddFeedback log={log} />
      </Can>
    </div>
  );
}

const noteOf = (metadata: Readonly<Record<string, unknown>>): string =>
  Object.entries(metadata)
    .map(([name, value]) => (name === 'note' ? String(value) : `${name}=${JSON.stringify(value)}`))
    .join(' ');

function AddFeedback({ log }: { readonly log: LogDetail }): ReactElement {
  const { id: workspace_id } = useWorkspace();
  const queries = useQueryClient();
  const [given, setGiven] = useState(0);
  const add = useMutation({
    mutationFn: (rating: Rating) =>
      call('feedback_create', { query: { workspace_id } }, { body: { trace_id: log.trace_id, ...rating } }),
    onSuccess: async () => {
      setGiven((before) => before + 1);
      await queries.invalidateQueries({ queryKey: ['logs_get', { path: { logId: log.id } }] });
    },
  });
  return (
    <FeedbackForm
      key={given}
      isPending={add.isPending}
      problem={add.isError ? problemFrom(add.error).message : null}
      button={text.add}
      onSubmit={(rating) => add.mutate(rating)}
    />
  );
}
