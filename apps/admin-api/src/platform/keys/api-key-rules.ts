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

/** Any of the three types; the service asks for the one of the key at hand. */
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

/** A user without a say over others: sees, makes and changes their own user keys only. */
export const isPlainMember = (caller: Principal): boolean =>
  caller.kind === 'session' &&
  caller.organisationRole === 'member' &&
  caller.workspaceRole !== 'admin' &&
  caller.workspaceRole !== 'manager';

/** One spelling, no repeats. Throws `validation_failed` for what is no scope or not for keys of this type. */
export function normaliseScopes(scopes: readonly string[], type: ApiKeyType): string[] {
  const allowed = scopesAllowedFor(type);
  const canonical = scopes.map(canonicalScope);
  const details = canonical.flatMap((scope, index) => {
    if (allowed.has(scope)) return [];
    const message = isScope(scope) ? `a ${type} key cannot hold this scope` : 'there is no such scope';
    return [{ path: `scopes.${String(index)}`, message }];
  });
  if (details.length > 0) throw validationFailed(details);
  return [...new Set(canonical)];
}

/** Throws `scope_exceeds_creator` for scopes above the role of the key's user, `validation_failed` for a user not here. */
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
    throw invalid('user_id', 'user_id names no member of this workspace');
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
  if (!(date.getTime() > Date.now())) throw invalid('expires_at', 'expires_at must lie in the future');
  return date;
}
