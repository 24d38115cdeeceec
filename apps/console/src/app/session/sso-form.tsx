import { Button, TextInput } from '@mantine/core';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { call, useRead, type ResponseOf } from '../../api';
import { session } from '../../messages';
import { leave } from './leave';
import { goToProvider } from './opening';
import { FormError, onSubmit, textIn } from './sign-in-parts';
import { returnPathOf } from './sso-return';

type Connection = ResponseOf<'ssoLogin_discover'>['connections'][number];

export interface SsoPlace {
  readonly organisation: string | null;
  /** Path of the console to open after the login. */
  readonly returnTo: string;
  /**
   * True when the form is over a page that must keep its state; the login then opens in a new
   * window.
   */
  readonly isOver: boolean;
}

interface Wanted {
  readonly connection: string;
  /** Empty when the user entered no address. */
  readonly email: string;
}

export type Begin = UseMutationResult<void, Error, Wanted>;

/** Path of the page that starts a login with the connection as soon as it opens. */
const pathOf = (connection: string, returnTo: string): string =>
  `login/sso?${new URLSearchParams({ connection, return_path: returnTo }).toString()}`;

/** Returns a mutation that starts a login at the identity provider of a connection. */
export function useBegin({ organisation, returnTo, isOver }: SsoPlace): Begin {
  return useMutation({
    mutationFn: async ({ connection, email }: Wanted) => {
      if (isOver && leave.window(pathOf(connection, '/login/done'))) return;
      const { data } = await call(
        'auth_login',
        {},
        {
          body: {
            sso_client_id: connection,
            return_path: returnPathOf(returnTo),
            ...(email === '' ? {} : { email }),
            ...(organisation === null ? {} : { organisation_id: organisation }),
          },
        },
      );
      if (data.object !== 'sso-redirect') throw new Error(session.ssoFailed);
      goToProvider(data, pathOf(connection, returnTo));
    },
  });
}

interface ConnectionButtonsProps {
  readonly connections: readonly Connection[];
  readonly begin: Begin;
  readonly email: string;
}

/** A button for each connection. */
export function ConnectionButtons({ connections, begin, email }: ConnectionButtonsProps): ReactElement {
  return (
    <>
      {connections.map(({ sso_client_id: connection, name }) => (
        <Button
          key={connection}
          onClick={() => begin.mutate({ connection, email })}
          loading={begin.isPending && begin.variables.connection === connection}
        >
          {session.bySso(name)}
        </Button>
      ))}
    </>
  );
}

/** Form for an email address; continues at the identity provider of its domain. */
export function SsoForm(place: SsoPlace): ReactElement {
  const bootstrap = useRead('console_bootstrap', {});
  const begin = useBegin(place);
  const find = useMutation({
    mutationFn: async (form: HTMLFormElement) => {
      const email = textIn(form, 'email');
      const { data } = await call('ssoLogin_discover', { query: { email } });
      const { organisation } = place;
      const connections = data.connections.filter(
        ({ organisation_id: id }) => organisation === null || id === organisation,
      );
      const [only, ...others] = connections;
      if (only === undefined) throw new Error(session.noSso(email.slice(email.lastIndexOf('@') + 1)));
      if (others.length === 0) await begin.mutateAsync({ connection: only.sso_client_id, email });
      return { connections: others.length === 0 ? [] : connections, email };
    },
  });
  const known = find.data?.connections ?? bootstrap.data?.sso ?? [];
  return (
    <form className="sign-in" onSubmit={onSubmit(find.mutate)} aria-label={session.sso}>
      <TextInput
        label={session.email}
        description={session.ssoHint}
        name="email"
        type="email"
        autoComplete="username"
        required
        data-autofocus
      />
      <FormError error={find.error ?? begin.error} />
      <Button type="submit" variant="filled" loading={find.isPending}>
        {session.goOn}
      </Button>
      <ConnectionButtons connections={known} begin={begin} email={find.data?.email ?? ''} />
    </form>
  );
}
