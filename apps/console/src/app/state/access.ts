import { accessOf, type OperationId } from '../../api';
import { useSessionFacts, useWorkspaceOrNull, type SessionFacts, type Workspace } from './session-context';

/** Why the caller may not call an operation. */
export interface Refusal {
  /** Any one of them would do. */
  readonly scopes: readonly string[];
  /** Roles that may hold such a scope, as `x-gw-roles` names them. */
  readonly roles: readonly string[];
  /** Security settings that are off and would give the scope. */
  readonly closedBy: readonly string[];
}

/** Roles of the organisation whose rights hold in every workspace. */
const EVERYWHERE = ['owner', 'admin'];

/**
 * Why the caller may not call an operation in a workspace, or outside of all (null); null when they may. Decides by the scopes that
 * the server computed, so that it agrees with what the server refuses.
 */
export function refusalOf(
  operation: OperationId,
  { permissions }: Pick<SessionFacts, 'permissions'>,
  workspace: Pick<Workspace, 'id'> | null,
): Refusal | null {
  const { access, scopes, roles } = accessOf(operation);
  if (access !== 'scopes') return null;
  const { organisation } = permissions;
  const member = permissions.workspaces.find(({ id }) => id === workspace?.id);
  const counts = workspace === null || EVERYWHERE.includes(organisation.role);
  const rights = [...(counts ? [organisation] : []), ...(member === undefined ? [] : [member])];
  if (rights.some((right) => scopes.some((scope) => right.scopes.includes(scope)))) return null;
  const closedBy = rights
    .flatMap(({ settings }) => settings)
    .filter((setting) => !setting.allows && setting.scopes.some((scope) => scopes.includes(scope)))
    .map(({ name }) => name);
  return { scopes, roles, closedBy: [...new Set(closedBy)] };
}

/** Why the caller may not do this in the workspace of the page; null when they may. */
export const useRefusal = (operation: OperationId): Refusal | null =>
  refusalOf(operation, useSessionFacts(), useWorkspaceOrNull());

export const useCan = (operation: OperationId): boolean => useRefusal(operation) === null;
