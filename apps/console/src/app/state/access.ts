import { accessOf, type OperationId } from '../../api';
import { useSessionFacts, useWorkspaceOrNull, type SessionFacts, type Workspace } from './session-context';

/** Why the caller may not call an operation. */
export interface Refusal {
  /** Missing scopes; any one of them would allow the call. */
  readonly scopes: readonly string[];
  /** Roles that may hold such a scope, by their names in `x-gw-roles`. */
  readonly roles: readonly string[];
  /** Security settings that are off and would grant the scope. */
  readonly closedBy: readonly string[];
}

/** Organisation roles whose rights apply in every workspace. */
const EVERYWHERE = ['owner', 'admin'];

/**
 * Returns why the caller may not call an operation in `workspace` (null: outside of any workspace);
 * null when the caller may. Decides by the scopes that the server computed, so that both agree.
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

/** Why the caller may not call the operation in the workspace of the page; null when it may. */
export const useRefusal = (operation: OperationId): Refusal | null =>
  refusalOf(operation, useSessionFacts(), useWorkspaceOrNull());

export const useCan = (operation: OperationId): boolean => useRefusal(operation) === null;
