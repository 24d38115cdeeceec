import { Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement, SyntheticEvent } from 'react';
import { call, keyOf, problemFrom } from '../../api';
import { session } from '../../messages';

/** Email and password. The answer sets the session's cookie, which no script can read. */
export function SignIn({
  note,
  onDone,
}: {
  readonly note?: string;
  readonly onDone?: () => void;
}): ReactElement {
  const queries = useQueryClient();
  const login = useMutation({
    mutationFn: (body: { email: string; password: string }) => call('auth_login', {}, { body }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: keyOf('auth_self', {}) });
      onDone?.();
    },
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const text = (name: string) => {
      const value = fields.get(name);
      return typeof value === 'string' ? value : '';
    };
    login.mutate({ email: text('email'), password: text('password') });
  };
  return (
    <form onSubmit={submit} aria-label={session.title}>
      <Stack maw={360} mx="auto" my="xl" gap="sm">
        <Title order={1}>{session.title}</Title>
        {note !== undefined && <Text size="sm">{note}</Text>}
        <TextInput label={session.email} name="email" type="email" autoComplete="username" required />
        <PasswordInput label={session.password} name="password" autoComplete="current-password" required />
        {login.isError && (
          <Text role="alert" size="sm" c="red">
            {problemFrom(login.error).message}
          </Text>
        )}
        <Button type="submit" loading={login.isPending}>
          {session.signIn}
        </Button>
        <Text size="xs" c="dimmed">
          {session.credentialsFile}
        </Text>
      </Stack>
    </form>
  );
}
