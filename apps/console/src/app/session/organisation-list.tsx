import { Button, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { session, shell } from '../../messages';
import type { Self } from '../state/session-context';

/** Number of organisations above which the list has a search field. */
const MANY = 8;

export type Organisation = Self['organisations'][number];

interface OrganisationListProps {
  readonly organisations: readonly Organisation[];
  /** Id of the organisation that is being opened. */
  readonly opening?: string | undefined;
  readonly onChoose: (organisation: Organisation) => void;
}

/** Lists the organisations of a user as buttons, with a search field when there are many. */
export function OrganisationList({ organisations, opening, onChoose }: OrganisationListProps): ReactElement {
  const [text, setText] = useState('');
  const found = organisations.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
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
            loading={opening === organisation.id}
            disabled={opening !== undefined && opening !== organisation.id}
            onClick={() => onChoose(organisation)}
          >
            {organisation.name}
          </Button>
        ))}
      </div>
    </>
  );
}
