import { createContext, useContext } from 'react';
import type { ResponseOf } from '../../api';

/** The signed-in user with organisation, workspaces and scopes: `GET /v1/auth/self`. */
export type Self = ResponseOf<'auth_self'>;
export type Workspace = Self['workspaces'][number];
/** Rights of the caller by workspace: `GET /v1/auth/permissions`. */
export type Permissions = ResponseOf<'auth_permissions'>;
/** Features of the installation: `GET /v1/console/bootstrap` with a session. */
export type Bootstrap = ResponseOf<'console_bootstrap'>;

export interface SessionFacts {
  readonly self: Self;
  readonly permissions: Permissions;
  readonly bootstrap: Bootstrap;
}

export const SessionContext = createContext<SessionFacts | null>(null);

export function useSessionFacts(): SessionFacts {
  const facts = useContext(SessionContext);
  if (facts === null) throw new Error('There is no session here: use it below /w, /org or /me.');
  return facts;
}

/** The signed-in user. */
export const useSelf = (): Self => useSessionFacts().self;

/** Features, gateway address, retention and limits of the installation. */
export const useBootstrap = (): Bootstrap => useSessionFacts().bootstrap;

export const WorkspaceContext = createContext<Workspace | null>(null);

/**
 * The workspace of the address: `{ id, slug, name, role }`. Calls take its `id` as `workspace_id`.
 */
export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext);
  if (workspace === null) throw new Error('useWorkspace needs a page below /w/:ws.');
  return workspace;
}

/** The workspace of the address; null on pages of the organisation. */
export const useWorkspaceOrNull = (): Workspace | null => useContext(WorkspaceContext);
