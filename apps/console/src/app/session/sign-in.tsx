import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { call, problemFrom, useRead, type AnswerOf } from '../../api';
import { session } from '../../messages';
import { BrandMark } from '../../ui/icons/brand-mark';
import './session.css';

type Opened = AnswerOf<'auth_login'> | AnswerOf<'claim_create'>;

interface SignInProps {
  readonly note?: string;
  readonly onDone?: () => void;
  /** Of a sign-in that was begun elsewhere and needs a second factor. */
  readonly challenge?: string | null;
}

/** The challenge of an answer that needs a second factor; null where the session is open. */
export const challengeOf = (opened: Opened): string | null =>
  'challenge' in opened ? opened.challenge : null;

function textOf(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value : '';
}

/** Email and password, then a second factor where the user has one. The answer sets the cookie, which no script can read. */
export function SignIn({ note, onDone, challenge: begun = null }: SignInProps): ReactElement {
  const queries = useQueryClient();
  const bootstrap = useRead('console_bootstrap', {});
  const [challenge, setChallenge] = useState(begun);
  const open = useMutation({
    mutationFn: async (form: HTMLFormElement): Promise<Opened> => {
      const body = { email: textOf(form, 'email'), password: textOf(form, 'password') };
      if (challenge === null) return (await call('auth_login', {}, { body })).data;
      return (await call('auth_loginByFactor', {}, { body: { challenge, code: textOf(form, 'code') } })).data;
    },
    onSuccess: async (opened) => {
      if ('url' in opened) return location.assign(opened.url);
      const next = challengeOf(opened);
      setChallenge(next);
      if (next !== null) return;
      await queries.invalidateQueries();
      onDone?.();
    },
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    open.mutate(event.currentTarget);
  };
  return (
    <form className="sign-in" onSubmit={submit} aria-label={session.title}>
      <BrandMark size={28} />
      <h1>{session.title}</h1>
      {note !== undefined && <p className="sub">{note}</p>}
      {challenge === null ? (
        <>
          <TextInput label={session.email} name="email" type="email" autoComplete="username" required />
          <PasswordInput label={session.password} name="password" autoComplete="current-password" required />
        </>
      ) : (
        <TextInput
          label={session.code}
          description={session.codeHint}
          name="code"
          autoComplete="one-time-code"
          required
          data-autofocus
        />
      )}
      {open.isError && (
        <p role="alert" className="sign-in-error">
          {problemFrom(open.error).message}
        </p>
      )}
      <Button type="submit" variant="filled" loading={open.isPending}>
        {session.signIn}
      </Button>
      {bootstrap.data?.environment === null && <p className="xs muted">{session.credentialsFile}</p>}
    </form>
  );
}
