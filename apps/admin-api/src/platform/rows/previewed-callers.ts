import { DEFAULT_SECURITY } from '@gw/auth-scopes';
import { ApiKeyEntity, type UpstreamServer } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { userRoles, type AccessCaller } from '@gw/mcp';
import { invalid } from '@gw/web';
import { IsNull, Not, type EntityManager } from 'typeorm';
import { scopesInForce, userRolesOf } from '../auth/key-scopes';
import type { Principal } from '../common/principal';
import { mcpAccessOf } from './key-mcp-access';
import { userFacts } from './user-facts.queries';
import { memberIds } from '../upstreams/server-members.queries';

/** User or API key for which a preview is made. */
export interface PreviewedCaller {
  readonly user_id?: string;
  readonly api_key_id?: string;
  /** Client of OAuth that the user signed in with. */
  readonly client_id?: string;
}

/**
 * Returns the caller for which a preview is made. `scope` is the scope that users hold in the
 * preview, since their sessions call no upstream. Throws `validation_failed` unless the query names
 * exactly one user or one key of the workspace, and for a client without a user.
 */
export async function previewedCaller(
  manager: EntityManager,
  place: Pick<UpstreamServer, 'organisationId' | 'workspaceId'>,
  { user_id: userId, api_key_id: keyId, client_id: clientId }: PreviewedCaller,
  scope: string,
): Promise<AccessCaller> {
  if (userId !== undefined && keyId === undefined) {
    const id = userId.toLowerCase();
    if (!(await memberIds(manager, place, [id])).has(id))
      throw invalid('user_id', 'user_id must be a member of the workspace');
    return {
      ...{ ...NO_ONE, ...(await userCaller(manager, place, id)) },
      ...{ clientId: clientId ?? null, scopes: [scope] },
    };
  }
  if (keyId === undefined || userId !== undefined)
    throw invalid('user_id', 'send exactly one of user_id and api_key_id');
  if (clientId !== undefined) throw invalid('client_id', 'client_id can only be sent with user_id');
  const { organisationId, workspaceId } = place;
  const at = { id: keyId.toLowerCase(), organisationId, status: Not('archived' as const) };
  const key = await manager.findOneBy(ApiKeyEntity, [
    { ...at, workspaceId },
    { ...at, workspaceId: IsNull() },
  ]);
  if (!key) throw invalid('api_key_id', 'api_key_id must be an API key of the workspace');
  const roles = (await userRolesOf(manager, [key])).get(key.id);
  // No security setting denies a data-plane scope.
  const scopes = scopesInForce(
    key,
    roles ?? { organisationRole: null, workspaceRole: null },
    DEFAULT_SECURITY,
  );
  return {
    ...{ ...NO_ONE, ...(await userCaller(manager, place, key.userId)) },
    ...{ keyId: key.id, scopes, key: mcpAccessOf(key.mcp) },
  };
}

/**
 * Returns the user with the groups and roles that gateways know. For a `userId` of null, returns a
 * caller without a user.
 */
export async function userCaller(
  manager: EntityManager,
  { organisationId, workspaceId }: Pick<UpstreamServer, 'organisationId' | 'workspaceId'>,
  userId: string | null,
): Promise<Pick<AccessCaller, 'userId' | 'groups' | 'roles'>> {
  const [facts] = userId === null ? [] : await userFacts(manager, [{ organisationId, userId }]);
  return { userId, groups: facts?.groups ?? [], roles: facts ? userRoles(facts, workspaceId) : [] };
}

/** A caller without identity and rights. */
export const NO_ONE: AccessCaller = {
  ...{ userId: null, groups: [], roles: [], keyId: null, clientId: null, trustId: null },
  ...{ scopes: [], key: null },
};

/**
 * Throws `forbidden` when a member names another user. Service keys, managers and admins may see
 * every user. An undefined `userId` means all users.
 */
export function assertMaySee(caller: Principal, userId: string | null | undefined): void {
  const { organisationRole, workspaceRole } = caller;
  if (typeof userId === 'string' && userId === caller.userId) return;
  const isService = organisationRole === null;
  const isAdmin = organisationRole === 'owner' || organisationRole === 'admin';
  if (isService || isAdmin || workspaceRole === 'admin' || workspaceRole === 'manager') return;
  throw new GatewayError('forbidden', { message: 'Members may name only themselves and their own keys.' });
}
