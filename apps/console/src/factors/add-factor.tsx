import { Button, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { call } from '../api';
import { FormError, onSubmit, textIn } from '../app/session/sign-in-parts';
import { factors as text } from '../messages';
import { ConfirmApp } from './confirm-app';
import type { AppEnrolment, Factors } from './factor-types';
import { canMakePasskeys, makePasskey } from './passkey';
import { proofIn, ProofInput } from './proof-input';
import { useStep } from './use-step';

interface AddFactorProps {
  /** Factors that the user already has. */
  readonly factors: Factors;
  /** True to let the user name the new factor. */
  readonly hasName?: boolean;
  /**
   * Called when the factor is active. `codes` are new recovery codes, shown once; empty when the
   * user already has some.
   */
  readonly onAdded: (codes: readonly string[]) => void;
}

/**
 * Adds an authenticator app or a passkey after the user has proved their identity. Only the state
 * of this component holds the secret.
 */
export function AddFactor({ factors, hasName = false, onAdded }: AddFactorProps): ReactElement {
  const [enrolment, setEnrolment] = useState<AppEnrolment | null>(null);
  const app = useStep();
  const passkey = useStep();
  if (enrolment !== null)
    return <ConfirmApp enrolment={enrolment} onAdded={onAdded} onBack={() => setEnrolment(null)} />;
  const addApp = (form: HTMLFormElement): void =>
    app.run(async () => {
      const name = textIn(form, 'name').trim();
      const named = name === '' ? {} : { name };
      setEnrolment((await call('mfa_enrol', {}, { body: { ...proofIn(form), ...named } })).data);
    });
  const addPasskey = (form: HTMLFormElement): void => {
    if (!form.reportValidity()) return;
    passkey.run(async () => onAdded(await makePasskey(proofIn(form), textIn(form, 'name').trim())));
  };
  return (
    <form className="factor-form" onSubmit={onSubmit(addApp)} aria-label={text.add}>
      {hasName && (
        <TextInput
          label={text.name}
          description={text.nameHint}
          name="name"
          maxLength={255}
          autoComplete="off"
        />
      )}
      <ProofInput factors={factors} />
      <FormError error={app.error ?? passkey.error} />
      <Button type="submit" variant="filled" loading={app.isSending} disabled={passkey.isSending}>
        {text.addApp}
      </Button>
      {canMakePasskeys() && (
        <Button
          loading={passkey.isSending}
          disabled={app.isSending}
          onClick={({ currentTarget }) => currentTarget.form !== null && addPasskey(currentTarget.form)}
        >
          {text.addPasskey}
        </Button>
      )}
    </form>
  );
}
