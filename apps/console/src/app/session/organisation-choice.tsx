import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { call, problemFrom } from '../../api';
import { session } from '../../messages';
import type { Self } from '../state/session-context';
import type { Opened } from './opening';
import { OrganisationList, type Organisation } from './organisation-list';
import { FormError } from './sign-in-parts';

interface OrganisationChoiceProps {
  /** User of the opened session, which is in the first of the user's organisations. */
  readonly self: Self;
  readonly onOpened: (opened: Opened, organisation: Organisation) => void;
  /** Called when the organisation does not accept this sign-in, with the note for the next one. */
  readonly onNeedsLogin: (organisation: Organisation, note: string) => void;
}

/** Lets a user of several organisations choose which one to open. */
export function OrganisationChoice({ self, onOpened, onNeedsLogin }: OrganisationChoiceProps): ReactElement {
  const change = useMutation({
    mutationFn: async ({ id }: Organisation): Promise<Opened> =>
      id === self.organisation.id
        ? self
        : (await call('auth_changeOrganisation', {}, { body: { organisation_id: id } })).data,
    onSuccess: onOpened,
    onError: (error, organisation) => {
      const note = loginNoteOf(error, organisation.name);
      if (note !== null) onNeedsLogin(organisation, note);
    },
  });
  return (
    <div className="sign-in">
      <p className="sub">{session.choose}</p>
      <OrganisationList
        organisations={self.organisations}
        opening={change.isPending ? change.variables.id : undefined}
        onChoose={change.mutate}
      />
      <FormError error={change.error} />
    </div>
  );
}

/**
 * Note for the sign-in to an organisation that requires another one than that of the session; null
 * when the error has another reason.
 */
export function loginNoteOf(error: unknown, organisation: string): string | null {
  if (error === null) return null;
  const { status, type, param } = problemFrom(error);
  if (type === 'sso_login_refused') return session.switchNeedsSso(organisation);
  return status === 403 && param === 'organisation_id' ? session.switchNeedsLogin(organisation) : null;
}
