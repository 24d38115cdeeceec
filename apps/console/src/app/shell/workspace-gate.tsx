import { Outlet, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useSelf, WorkspaceContext } from '../state/session-context';
import { NotFound } from './not-found';

/** The workspace of the address, by slug or id. */
export function WorkspaceGate(): ReactElement {
  const { ws } = useParams({ strict: false });
  const workspace = useSelf().workspaces.find(({ id, slug }) => slug === ws || id === ws);
  if (workspace === undefined) return <NotFound />;
  return (
    <WorkspaceContext value={workspace}>
      <Outlet />
    </WorkspaceContext>
  );
}
