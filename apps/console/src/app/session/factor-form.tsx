import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { call } from '../../api';
import { session } from '../../messages';
import type { Challenge, Opened } from './opening';
import { hasPasskeys, signByPasskey } from './passkey';
import { FormError, lastError, onSubmit, textIn } from './sign-in-parts';

interface FactorFormProps {
  readonly challenge: Challenge;
  readonly onOpened: (opened: Opened) => void;
  /** Starts the sign-in again, for example after the challenge has expired. */
  readonly onBack: () => void;
}

/** Form for the second factor of a sign-in: an authenticator code, a recovery code or a passkey. */
export function FactorForm({ challenge, onOpened, onBack }: FactorFormProps): ReactElement {
  const { challenge: token, factors } = challenge;
  const code = useMutation({
    mutationFn: async (form: HTMLFormElement): Promise<Opened> =>
      (await call('auth_loginByFactor', {}, { body: { challenge: token, code: textIn(form, 'code') } })).data,
    onSuccess: onOpened,
    // The cache would keep the form with its secret.
    gcTime: 0,
  });
  const passkey = useMutation({ mutationFn: () => signByPasskey(token, null), onSuccess: onOpened });
  const takesPasskey = factors.includes('passkey') && hasPasskeys();
  return (
    <form className="sign-in" onSubmit={onSubmit(code.mutate)} aria-label={session.title}>
      {takesPasskey && (
        <Button variant="filled" onClick={() => passkey.mutate()} loading={passkey.isPending}>
          {session.byPasskey}
        </Button>
      )}
      <TextInput
        label={session.code}
        description={session.codeHint}
        name="code"
        inputMode="text"
        autoComplete="one-time-code"
        required
        data-autofocus
        autoFocus={!takesPasskey}
      />
      <FormError error={lastError(code, passkey)} />
      <Button type="submit" variant={takesPasskey ? 'default' : 'filled'} loading={code.isPending}>
        {session.signIn}
      </Button>
      <Button variant="subtle" onClick={onBack}>
        {session.another}
      </Button>
    </form>
  );
}
