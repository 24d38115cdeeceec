import { Button, NumberInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { call, problemFrom } from '../../../api';
import { Can, useWorkspace } from '../../../app';
import { logDetail } from '../../../messages/en/log-detail';
import { Badge, Moment } from '../../../ui/primitives';
import type { LogDetail } from './record';

const text = logDetail.feedback;
const VALUE_MAX = 10;

/** Feedback on the trace, and a form for more. */
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
  const { id: workspaceId } = useWorkspace();
  const queries = useQueryClient();
  const [value, setValue] = useState<number | string>(5);
  const [note, setNote] = useState('');
  const add = useMutation({
    mutationFn: () =>
      call(
        'feedback_create',
        { query: { workspace_id: workspaceId } },
        {
          body: {
            trace_id: log.trace_id,
            value: Number(value),
            ...(note.trim() === '' ? {} : { metadata: { note: note.trim() } }),
          },
        },
      ),
    onSuccess: async () => {
      setNote('');
      await queries.invalidateQueries({ queryKey: ['logs_get', { path: { logId: log.id } }] });
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form className="col log-feedback-form" onSubmit={submit}>
      <NumberInput
        label={text.valueLabel}
        description={text.valueHint}
        min={-VALUE_MAX}
        max={VALUE_MAX}
        allowDecimal={false}
        value={value}
        onChange={setValue}
      />
      <TextInput
        label={text.note}
        maxLength={500}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      {add.isError && (
        <p role="alert" className="tone-danger xs">
          {problemFrom(add.error).message}
        </p>
      )}
      <Button type="submit" loading={add.isPending} disabled={value === ''}>
        {text.add}
      </Button>
    </form>
  );
}
