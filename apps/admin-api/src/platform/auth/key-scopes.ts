import {
  scopesAllowedBy,
  userKeyCeiling,
  type OrganisationRole,
  type SecuritySettings,
  type WorkspaceRole,
} from '@gw/auth-scopes';
import { ApiKeyEntity, OrganisationUserEntity, UserEntity, WorkspaceUserEntity } from '@gw/entities';
import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/** The roles that the user of a key has now; null where there is none. */
export interface UserRoles {
  readonly organisationRole: OrganisationRole | null;
  readonly workspaceRole: WorkspaceRole | null;
}

/** Adds `organisationRole` and `workspaceRole` of the user of the alias `key` to a raw query. */
export const withUserRoles = <T extends ObjectLiteral>(query: SelectQueryBuilder<T>): SelectQueryBuilder<T> =>
  query
    .leftJoin(UserEntity, 'person', `person.id = key.userId AND person.status = 'active'`)
    .leftJoin(
      OrganisationUserEntity,
      'seat',
      `seat.userId = person.id AND seat.organisationId = key.organisationId AND seat.status = 'active'`,
    )
    .leftJoin(
      WorkspaceUserEntity,
      'member',
      'member.userId = person.id AND member.workspaceId = key.workspaceId',
    )
    .addSelect('seat.role', 'organisationRole')
    .addSelect('member.role', 'workspaceRole');

/**
 * The scopes that count: a user key never does more than its user, whose role may have been lowered since it was made, and a
 * service key never what the settings of now close to a role like its maker's.
 */
export function scopesInForce(
  key: Pick<ApiKeyEntity, 'type' | 'scopes' | 'boundAs'>,
  roles: UserRoles,
  settings: SecuritySettings,
): string[] {
  if (key.type !== 'workspace-user') return [...scopesAllowedBy(key.boundAs, new Set(key.scopes), settings)];
  const ceiling = userKeyCeiling(roles.organisationRole, roles.workspaceRole, settings);
  return key.scopes.filter((scope) => ceiling.has(scope));
}

/** The roles of the users of user keys, by key; one query. */
export async function userRolesOf(
  manager: EntityManager,
  keys: readonly ApiKeyEntity[],
): Promise<ReadonlyMap<string, UserRoles>> {
  const ids = keys.filter(({ type }) => type === 'workspace-user').map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const rows = await withUserRoles(
    manager
      .createQueryBuilder(ApiKeyEntity, 'key')
      .select('key.id', 'id')
      .where('key.id IN (:...ids)', { ids }),
  ).getRawMany<UserRoles & { readonly id: string }>();
  return new Map(rows.map((row) => [row.id, row]));
}
