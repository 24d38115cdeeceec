import { createContext, useContext } from 'react';
import type { AnswerOf } from '../../api';

/** The signed-in user with organisation, workspaces and scopes: `GET /v1/auth/self`. */
export type Self = AnswerOf<'auth_self'>;
export type Workspace = Self['workspaces'][number];

export const SelfContext = createContext<Self | null>(null);

/** The signed-in user. */
export function useSelf(): Self {
  const self = useContext(SelfContext);
  if (self === null) throw new Error('useSelf needs a session; use it below /w, /org or /me.');
  return self;
}

export const WorkspaceContext = createContext<Workspace | null>(null);

/** The workspace of the address: `{ id, slug, name, role }`. Calls take its `id` as `workspace_id`. */
export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext);
  if (workspace === null) throw new Error('useWorkspace needs a page below /w/:ws.');
  return workspace;
}

/** The workspace of the address; null on pages of the organisation. */
export const useWorkspaceOrNull = (): Workspace | null => useContext(WorkspaceContext);
