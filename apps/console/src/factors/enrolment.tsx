import { Button } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { problemFrom, useRead } from '../api';
import { FormError } from '../app/session/sign-in-parts';
import { signOut } from '../app/session/sign-out';
import { factors as text } from '../messages';
import { BrandMark } from '../ui/icons/brand-mark';
import { Loaded } from '../ui/states';
import { AddFactor } from './add-factor';
import { OtherOrganisations } from './other-organisations';
import { RecoveryCodes } from './recovery-codes';
import '../app/session/session.css';

export interface EnrolmentProps {
  /** True in a dialog over a page; the dialog then shows the title. */
  readonly isOver: boolean;
  /**
   * Called when the session has a second factor; the user may still be reading the recovery codes.
   */
  readonly onAdded: () => void;
  /** Called when the user continues. */
  readonly onDone: () => void;
}

/**
 * Adds the second factor that the organisation requires. Before, the user can only sign out or
 * switch to another organisation.
 */
export function Enrolment({ isOver, onAdded, onDone }: EnrolmentProps): ReactElement {
  const factors = useRead('mfa_list', {});
  const self = useRead('auth_self', {}).data;
  const [codes, setCodes] = useState<readonly string[]>([]);
  const [error, setError] = useState<unknown>(null);
  const take = (made: readonly string[]): void => {
    onAdded();
    if (made.length === 0) onDone();
    else setCodes(made);
  };
  return (
    <div className="sign-in">
      {!isOver && (
        <>
          <BrandMark size={28} />
          <h1>{text.required}</h1>
        </>
      )}
      {codes.length > 0 ? (
        <RecoveryCodes codes={codes} onDone={onDone} />
      ) : (
        <>
          <p className="sub">{text.requiredBy(self?.organisation.name)}</p>
          <Loaded query={factors} problemOf={problemFrom}>
            {(known) => <AddFactor factors={known} onAdded={take} />}
          </Loaded>
          {self !== undefined && <OtherOrganisations self={self} />}
          <Button variant="subtle" onClick={() => void signOut().catch(setError)}>
            {text.signOut}
          </Button>
          <FormError error={error} />
        </>
      )}
    </div>
  );
}
