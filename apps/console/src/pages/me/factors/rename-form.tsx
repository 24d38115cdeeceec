import { Button, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { call } from '../../../api';
import { FormError, onSubmit, textIn } from '../../../app/session/sign-in-parts';
import type { Factor } from '../../../factors/factor-types';
import { useStep } from '../../../factors/use-step';
import { factors as text } from '../../../messages';

interface RenameFormProps {
  readonly factor: Factor;
  readonly onDone: () => void;
}

export function RenameForm({ factor, onDone }: RenameFormProps): ReactElement {
  const step = useStep();
  const rename = (form: HTMLFormElement): void =>
    step.run(async () => {
      const body = { name: textIn(form, 'name').trim() };
      await call('passkeys_rename', { path: { factorId: factor.id } }, { body });
      onDone();
    });
  return (
    <form className="factor-form" onSubmit={onSubmit(rename)} aria-label={text.renameTitle}>
      <TextInput
        label={text.name}
        name="name"
        maxLength={255}
        defaultValue={factor.name}
        autoComplete="off"
        required
        data-autofocus
      />
      <FormError error={step.error} />
      <Button type="submit" variant="filled" loading={step.isSending}>
        {text.save}
      </Button>
    </form>
  );
}
