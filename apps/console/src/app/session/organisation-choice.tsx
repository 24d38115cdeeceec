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
  /** Called when the organisation does not accept this sign-in. */
  readonly onNeedsLogin: (organisation: Organisation) => void;
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
      if (needsLogin(error)) onNeedsLogin(organisation);
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
      {!needsLogin(change.error) && <FormError error={change.error} />}
    </div>
  );
}

/**
 * Whether the error says that the organisation requires another sign-in than that of the session.
 */
export function needsLogin(error: unknown): boolean {
  if (error === null) return false;
  const { status, param } = problemFrom(error);
  return status === 403 && param === 'organisation_id';
}
