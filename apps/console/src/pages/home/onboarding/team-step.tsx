import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, type ReactElement } from 'react';
import { call, problemFrom } from '../../../api';
import { home } from '../../../messages';
import { Failed } from '../../../ui/states';

const text = home.team;

/** Step 5 of the onboarding: sets a password for users who signed in with the launcher's link. */
export function TeamStep({ onDone }: { readonly onDone: () => void }): ReactElement {
  const field = useRef<HTMLInputElement>(null);
  const queries = useQueryClient();
  const chosen = useMutation({
    mutationFn: () => call('passwords_change', {}, { body: { new_password: field.current?.value ?? '' } }),
    onSuccess: () => {
      if (field.current !== null) field.current.value = '';
      void queries.invalidateQueries({ queryKey: ['console_bootstrap'] });
      onDone();
    },
  });
  return (
    <>
      <form
        className="row home-wrap home-form"
        onSubmit={(event) => {
          event.preventDefault();
          chosen.mutate();
        }}
      >
        <PasswordInput ref={field} label={text.password} autoComplete="new-password" required />
        <Button type="submit" loading={chosen.isPending}>
          {text.act}
        </Button>
      </form>
      {chosen.isError && <Failed problem={problemFrom(chosen.error)} />}
    </>
  );
}
