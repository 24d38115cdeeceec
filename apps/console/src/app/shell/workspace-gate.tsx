import { Outlet, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useSelf, WorkspaceContext } from '../state/session-context';
import { NotFound } from './not-found';
import { workspaceOf } from './use-shown-workspace';

/** Provides the workspace that the address names by slug or id to its pages. */
export function WorkspaceGate(): ReactElement {
  const { ws } = useParams({ strict: false });
  const workspace = workspaceOf(useSelf(), ws);
  if (workspace === null) return <NotFound />;
  // The key remounts the page when the workspace changes.
  return (
    <WorkspaceContext value={workspace} key={workspace.id}>
      <Outlet />
    </WorkspaceContext>
  );
}
