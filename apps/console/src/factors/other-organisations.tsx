import { Button } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Self } from '../app';
import { OrganisationList, type Organisation } from '../app/session/organisation-list';
import { OrganisationSwitch } from '../app/session/organisation-switch';
import { factors as text } from '../messages';

/**
 * Lets a user who is blocked in this organisation switch to another one. Renders nothing when there
 * is none.
 */
export function OtherOrganisations({ self }: { readonly self: Self }): ReactElement | null {
  const [isOpen, setOpen] = useState(false);
  const [wanted, setWanted] = useState<Organisation | null>(null);
  const others = self.organisations.filter(({ id }) => id !== self.organisation.id);
  if (others.length === 0) return null;
  return (
    <>
      {isOpen ? (
        <OrganisationList organisations={others} onChoose={setWanted} />
      ) : (
        <Button variant="subtle" onClick={() => setOpen(true)}>
          {text.otherOrganisation}
        </Button>
      )}
      {wanted !== null && <OrganisationSwitch organisation={wanted} onClose={() => setWanted(null)} />}
    </>
  );
}
