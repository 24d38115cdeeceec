import { Button, TextInput } from '@mantine/core';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { call, useRead, type ResponseOf } from '../../api';
import { session } from '../../messages';
import { leave } from './leave';
import { goToProvider } from './opening';
import { FormError, lastError, onSubmit, textIn } from './sign-in-parts';
import { keepBegin, returnPathOf, spendBegin } from './sso-return';

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

/**
 * Path of the page that starts a login with the connection as soon as it opens. Stores that the user
 * wants that.
 */
function beginPath(connection: string, returnTo: string): string {
  keepBegin(connection);
  return `login/sso?${new URLSearchParams({ connection, return_path: returnTo }).toString()}`;
}

/** Starts the login in a new window. Returns false when the browser blocks it. */
function beginInWindow(connection: string): boolean {
  const isOpen = leave.window(beginPath(connection, '/login/done'));
  // The window has a copy.
  spendBegin(connection);
  return isOpen;
}

/** Returns a mutation that starts a login at the identity provider of a connection. */
export function useBegin({ organisation, returnTo, isOver }: SsoPlace): Begin {
  return useMutation({
    mutationFn: async ({ connection, email }: Wanted) => {
      if (isOver && beginInWindow(connection)) return;
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
      goToProvider(data, () => beginPath(connection, returnTo));
    },
  });
}

/** Returns the connections of an organisation; all of them when it is null. */
const connectionsOf = (
  connections: readonly Connection[],
  organisation: string | null,
): readonly Connection[] =>
  connections.filter(({ organisation_id: id }) => organisation === null || id === organisation);

interface ConnectionButtonsProps {
  readonly connections: readonly Connection[];
  /** Restricts the buttons to this organisation. */
  readonly organisation: string | null;
  readonly begin: Begin;
  readonly email: string;
}

/** A button for each connection of the organisation. */
export function ConnectionButtons({
  connections,
  organisation,
  begin,
  email,
}: ConnectionButtonsProps): ReactElement {
  return (
    <>
      {connectionsOf(connections, organisation).map(({ sso_client_id: connection, name }) => (
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
      const connections = connectionsOf(data.connections, place.organisation);
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
      <FormError error={lastError(find, begin)} />
      <Button type="submit" variant="filled" loading={find.isPending}>
        {session.goOn}
      </Button>
      <ConnectionButtons
        connections={known}
        organisation={place.organisation}
        begin={begin}
        email={find.data?.email ?? ''}
      />
    </form>
  );
}
