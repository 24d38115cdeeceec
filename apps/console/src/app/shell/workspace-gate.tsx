import { Outlet, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useSelf, WorkspaceContext } from '../state/session-context';
import { NotFound } from './not-found';
import { workspaceOf } from './use-shown-workspace';

/** The workspace of the address, by slug or id. */
export function WorkspaceGate(): ReactElement {
  const { ws } = useParams({ strict: false });
  const workspace = workspaceOf(useSelf(), ws);
  if (workspace === null) return <NotFound />;
  // A page of another workspace begins again.
  return (
    <WorkspaceContext value={workspace} key={workspace.id}>
      <Outlet />
    </WorkspaceContext>
  );
}
