import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, type ReactElement } from 'react';
import { call, problemFrom } from '../../api';
import { session } from '../../messages';
import type { Self } from '../state/session-context';
import { ONCE } from './adopt';
import { loadAnew } from './leave';
import { challengeOf, openedBy } from './opening';
import { loginNoteOf } from './organisation-choice';
import { SignIn } from './sign-in';
import { FormError } from './sign-in-parts';
import { holderOf, notifyTabs } from './tabs';

interface OrganisationSwitchProps {
  readonly organisation: Pick<Self['organisation'], 'id' | 'name'>;
  readonly onClose: () => void;
}

/**
 * Opens the session of another organisation and reloads the console, so that nothing of the current
 * one stays in memory. Shows a second-factor form or a sign-in when the API requires one.
 */
export function OrganisationSwitch({ organisation, onClose }: OrganisationSwitchProps): ReactElement {
  const { id, name } = organisation;
  const change = useQuery({
    queryKey: ['auth_changeOrganisation', id],
    queryFn: async () => (await call('auth_changeOrganisation', {}, { body: { organisation_id: id } })).data,
    gcTime: 0,
    ...ONCE,
  });
  const self = change.data === undefined ? null : openedBy(change.data);
  useEffect(() => {
    if (self === null) return;
    notifyTabs(holderOf(self));
    loadAnew();
  }, [self]);
  const challenge = change.data === undefined ? null : challengeOf(change.data);
  const problem = change.error === null ? null : problemFrom(change.error);
  const isOpening = change.isPending || self !== null;
  const note = loginNoteOf(problem, name);
  return (
    <Modal
      opened
      onClose={onClose}
      title={session.switching(name)}
      // The session of the browser may already be the other one, which the page must follow.
      withCloseButton={!isOpening}
      closeOnEscape={!isOpening}
      closeOnClickOutside={!isOpening}
    >
      {challenge !== null || note !== null ? (
        <SignIn
          isOver
          organisation={id}
          challenge={challenge}
          {...(note === null ? {} : { note })}
          onDone={() => loadAnew()}
        />
      ) : problem === null ? (
        <p role="status">{session.switches}</p>
      ) : (
        <FormError error={problem} />
      )}
    </Modal>
  );
}
