import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { call, useRead } from '../../api';
import { session } from '../../messages';
import type { Opened } from './opening';
import { hasPasskeys, signByPasskey } from './passkey';
import { FormError, lastError, onSubmit, textIn } from './sign-in-parts';
import { ConnectionButtons, useBegin } from './sso-form';

interface PasswordFormProps {
  readonly organisation: string | null;
  readonly returnTo: string;
  readonly isOver: boolean;
  readonly onOpened: (opened: Opened) => void;
}

/**
 * Form for email and password. When the domain of the email has single sign-on, the form shows its
 * buttons. Where it is enforced, the form says that only owners can use a password.
 */
export function PasswordForm({ organisation, returnTo, isOver, onOpened }: PasswordFormProps): ReactElement {
  const [address, setAddress] = useState('');
  const bootstrap = useRead('console_bootstrap', {});
  const asks = address !== '' && bootstrap.data !== undefined;
  const ways = useRead(
    'ssoLogin_discover',
    { query: { email: address } },
    { enabled: asks, staleTime: 60_000 },
  );
  const begin = useBegin({ returnTo, isOver, organisation });
  const own = organisation === null ? {} : { organisation_id: organisation };
  const open = useMutation({
    mutationFn: async (form: HTMLFormElement): Promise<Opened> => {
      const body = { email: textIn(form, 'email'), password: textIn(form, 'password'), ...own };
      return (await call('auth_login', {}, { body })).data;
    },
    onSuccess: onOpened,
    // The cache would keep the form with its secret.
    gcTime: 0,
  });
  const passkey = useMutation({ mutationFn: () => signByPasskey(null, organisation), onSuccess: onOpened });
  const connections = ways.data?.connections ?? bootstrap.data?.sso ?? [];
  const hasPassword = ways.data?.methods.includes('password') ?? true;
  return (
    <form className="sign-in" onSubmit={onSubmit(open.mutate)} aria-label={session.title}>
      <TextInput
        label={session.email}
        name="email"
        type="email"
        autoComplete="username webauthn"
        required
        data-autofocus
        onBlur={({ currentTarget: input }) => setAddress(input.validity.valid ? input.value : '')}
      />
      <ConnectionButtons
        connections={connections}
        organisation={organisation}
        begin={begin}
        email={address}
      />
      {!hasPassword && <p className="sub">{session.passwordOff}</p>}
      <PasswordInput label={session.password} name="password" autoComplete="current-password" required />
      <FormError error={lastError(open, passkey, begin)} />
      <Button type="submit" variant={hasPassword ? 'filled' : 'default'} loading={open.isPending}>
        {session.signIn}
      </Button>
      {hasPasskeys() && (
        <Button onClick={() => passkey.mutate()} loading={passkey.isPending}>
          {session.byPasskey}
        </Button>
      )}
    </form>
  );
}
