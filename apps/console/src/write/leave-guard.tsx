import { Button, Modal } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { forms } from '../messages';

/**
 * Asks before the user leaves a page whose inputs would be lost. For forms with secrets, which have
 * no draft. `isDirty` is true while such inputs exist.
 */
export function LeaveGuard({ isDirty }: { readonly isDirty: boolean }): ReactElement {
  const { proceed, reset, status } = useBlocker({
    // Tabs and filters are in the search of the address; they keep the inputs.
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title={forms.leaveTitle}>
      <div className="col">
        <p>{forms.leaveLead}</p>
        <span className="row">
          <Button className="right" data-autofocus onClick={() => reset?.()}>
            {forms.stay}
          </Button>
          <Button variant="filled" color="danger" onClick={() => proceed?.()}>
            {forms.leave}
          </Button>
        </span>
      </div>
    </Modal>
  );
}
