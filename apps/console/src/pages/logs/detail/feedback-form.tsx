import { Button, NumberInput, TextInput } from '@mantine/core';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { logDetail } from '../../../messages/en/log-detail';

const text = logDetail.feedback;
const VALUE_MAX = 10;

/** A rating with an optional note. */
export interface Rating {
  readonly value: number;
  readonly metadata?: { readonly note: string };
}

interface FeedbackFormProps {
  readonly isPending: boolean;
  /** Error of the last attempt; null for none. */
  readonly problem: string | null;
  readonly button: string;
  readonly onSubmit: (rating: Rating) => void;
}

/** Form for the value and note of a feedback. Change its React key to reset it. */
export function FeedbackForm({ isPending, problem, button, onSubmit }: FeedbackFormProps): ReactElement {
  const [value, setValue] = useState<number | string>(5);
  const [note, setNote] = useState('');
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const written = note.trim();
    onSubmit({ value: Number(value), ...(written === '' ? {} : { metadata: { note: written } }) });
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
      {problem !== null && (
        <p role="alert" className="tone-danger xs">
          {problem}
        </p>
      )}
      <Button type="submit" loading={isPending} disabled={value === ''}>
        {button}
      </Button>
    </form>
  );
}
