import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { call, problemFrom } from '../../api';
import { session, shell } from '../../messages';
import type { Self } from '../state/session-context';
import type { Opened } from './opening';
import { FormError } from './sign-in-parts';

/** From so many on, they can be searched. */
const MANY = 8;

export type Organisation = Self['organisations'][number];

interface OrganisationChoiceProps {
  /** Whose session was opened, in the first of the organisations. */
  readonly self: Self;
  readonly onOpened: (opened: Opened, organisation: Organisation) => void;
  /** The sign-in does not count in the organisation. */
  readonly onNeedsLogin: (organisation: Organisation) => void;
}

/** Asks a user of several organisations for the one to open. */
export function OrganisationChoice({ self, onOpened, onNeedsLogin }: OrganisationChoiceProps): ReactElement {
  const [text, setText] = useState('');
  const change = useMutation({
    mutationFn: async ({ id }: Organisation): Promise<Opened> =>
      id === self.organisation.id
        ? self
        : (await call('auth_changeOrganisation', {}, { body: { organisation_id: id } })).data,
    onSuccess: onOpened,
    onError: (error, organisation) => {
      if (needsLogin(error)) onNeedsLogin(organisation);
    },
  });
  const { organisations } = self;
  const found = organisations.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  return (
    <div className="sign-in">
      <p className="sub">{session.choose}</p>
      {organisations.length > MANY && (
        <TextInput
          aria-label={session.findOrganisation}
          placeholder={session.findOrganisation}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <div className="sign-in-organisations" role="group" aria-label={session.organisations}>
        {found.map((organisation, index) => (
          <Button
            key={organisation.id}
            autoFocus={index === 0 && text === ''}
            justify="space-between"
            rightSection={<span className="xs muted">{shell.me.roles[organisation.role]}</span>}
            loading={change.isPending && change.variables.id === organisation.id}
            onClick={() => change.mutate(organisation)}
          >
            {organisation.name}
          </Button>
        ))}
      </div>
      {!needsLogin(change.error) && <FormError error={change.error} />}
    </div>
  );
}

/** Whether an organisation cannot be opened by the sign-in of the session, but by another one. */
export function needsLogin(error: unknown): boolean {
  if (error === null) return false;
  const { status, param } = problemFrom(error);
  return status === 403 && param === 'organisation_id';
}
