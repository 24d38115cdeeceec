import { accessOf, type OperationId } from '../../api';
import { useSelf, useWorkspaceOrNull, type Self, type Workspace } from './session-context';

/** Why somebody may not call an operation; null when they may. */
export interface Refusal {
  /** Any one of them would do. */
  readonly scopes: readonly string[];
  /** Roles that may hold the scope. */
  readonly roles: readonly string[];
  /** Security settings that can close the operation. */
  readonly settings: readonly string[];
}

const OWNER_ROLES = ['owner', 'admin'];

/** Decides by role and scopes, as the admin API does; settings are decided by the server. */
export function refusalOf(operation: OperationId, self: Self, workspace: Workspace | null): Refusal | null {
  const { access, scopes, roles, settings } = accessOf(operation);
  if (access !== 'scopes') return null;
  const own = [self.organisation.role, ...(workspace === null ? [] : [`workspace-${workspace.role}`])];
  const isOwner = OWNER_ROLES.includes(self.organisation.role);
  const hasScope = scopes.length === 0 || scopes.some((scope) => self.scopes.includes(scope));
  const hasRole = roles.length === 0 || own.some((role) => roles.includes(role));
  if (hasRole && (hasScope || !isOwner || workspace !== null)) return null;
  return { scopes, roles, settings };
}

/** Why the caller may not do this in the workspace of the page; null when they may. */
export const useRefusal = (operation: OperationId): Refusal | null =>
  refusalOf(operation, useSelf(), useWorkspaceOrNull());

export const useCan = (operation: OperationId): boolean => useRefusal(operation) === null;
