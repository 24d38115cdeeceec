import { canonicalScope, isScope, scopesAllowedFor, userKeyCeiling } from '@gw/auth-scopes';
import { OrganisationUserEntity, WorkspaceUserEntity, type ApiKeyEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { invalid, validationFailed } from '@gw/web';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/principal';
import { securityOf } from '../auth/security';

export type ApiKeyType = ApiKeyEntity['type'];
export type ApiKeyAction = 'create' | 'read' | 'update' | 'delete' | 'list' | 'rotate';

export const API_KEY_TYPES: readonly ApiKeyType[] = [
  'organisation-service',
  'workspace-service',
  'workspace-user',
];

export const scopeFor = (type: ApiKeyType, action: ApiKeyAction): string =>
  `${type.replace('-', '_')}_api_keys.${action}`;

/**
 * Returns the scopes of all three key types for a route; the service then checks the scope for the
 * type of the actual key.
 */
export const anyTypeScope = (action: ApiKeyAction): [string, ...string[]] =>
  API_KEY_TYPES.map((type) => scopeFor(type, action)) as [string, ...string[]];

export function assertMay(caller: Principal, type: ApiKeyType, action: ApiKeyAction): void {
  const scope = scopeFor(type, action);
  if (caller.scopes.has(scope)) return;
  throw new GatewayError('scope_missing', {
    message: `The credential lacks the scope ${scope}.`,
    extra: { required_scopes: [scope] },
  });
}

/**
 * Whether the caller is a user without rights over other users. Such a user can only list, create
 * and change their own user keys.
 */
export const isPlainMember = (caller: Principal): boolean =>
  caller.kind === 'session' &&
  caller.organisationRole === 'member' &&
  caller.workspaceRole !== 'admin' &&
  caller.workspaceRole !== 'manager';

/**
 * Returns the scopes in canonical form without duplicates. Throws `validation_failed` for an
 * unknown scope or one that keys of this type cannot hold.
 */
export function normaliseScopes(scopes: readonly string[], type: ApiKeyType): string[] {
  const allowed = scopesAllowedFor(type);
  const canonical = scopes.map(canonicalScope);
  const details = canonical.flatMap((scope, index) => {
    if (allowed.has(scope)) return [];
    const message = isScope(scope) ? `a ${type} key cannot hold this scope` : 'is not a known scope';
    return [{ path: `scopes.${String(index)}`, message }];
  });
  if (details.length > 0) throw validationFailed(details);
  return [...new Set(canonical)];
}

/**
 * Throws `scope_exceeds_creator` for scopes above the role of the key's user, and
 * `validation_failed` for a user outside the workspace.
 */
export async function assertWithinUser(
  manager: EntityManager,
  at: { readonly organisationId: string; readonly workspaceId: string },
  userId: string,
  scopes: readonly string[],
): Promise<void> {
  const { organisationId, workspaceId } = at;
  const seat = await manager.findOneBy(OrganisationUserEntity, { organisationId, userId, status: 'active' });
  const membership = await manager.findOneBy(WorkspaceUserEntity, { workspaceId, userId });
  if (!seat || (seat.role === 'member' && !membership)) {
    throw invalid('user_id', 'user_id is not a member of this workspace');
  }
  const settings = await securityOf(manager, organisationId, workspaceId);
  const ceiling = userKeyCeiling(seat.role, membership?.role ?? null, settings);
  const excess = scopes.filter((scope) => !ceiling.has(scope));
  if (excess.length > 0) {
    throw new GatewayError('scope_exceeds_creator', {
      message: 'A user key cannot hold scopes above the role of its user.',
      param: 'scopes',
      extra: { excess },
    });
  }
}

export function toExpiry(text: string | null | undefined): Date | null {
  if (text === null || text === undefined) return null;
  const date = new Date(text);
  if (!(date.getTime() > Date.now())) throw invalid('expires_at', 'expires_at must be in the future');
  return date;
}
