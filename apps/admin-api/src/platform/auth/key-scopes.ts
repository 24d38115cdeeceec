import {
  scopesAllowedBy,
  userKeyCeiling,
  type OrganisationRole,
  type SecuritySettings,
  type WorkspaceRole,
} from '@gw/auth-scopes';
import { ApiKeyEntity, OrganisationUserEntity, UserEntity, WorkspaceUserEntity } from '@gw/entities';
import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/** Current roles of a key's user; null for a role that the user does not have. */
export interface UserRoles {
  readonly organisationRole: OrganisationRole | null;
  readonly workspaceRole: WorkspaceRole | null;
}

/**
 * Selects `organisationRole` and `workspaceRole` of the user of each key. The query's alias of the
 * key must be `key`. They are subqueries because joins of seven tables take Postgres longer to plan
 * than all else that it does for a request.
 */
export const withUserRoles = <T extends ObjectLiteral>(query: SelectQueryBuilder<T>): SelectQueryBuilder<T> =>
  query
    .addSelect(
      (seats) =>
        seats
          .select('seat.role')
          .from(OrganisationUserEntity, 'seat')
          .innerJoin(UserEntity, 'holder', `holder.id = seat.userId AND holder.status = 'active'`)
          .where('seat.userId = key.userId AND seat.organisationId = key.organisationId')
          .andWhere(`seat.status = 'active'`),
      'organisationRole',
    )
    .addSelect(
      (members) =>
        members
          .select('member.role')
          .from(WorkspaceUserEntity, 'member')
          .innerJoin(UserEntity, 'person', `person.id = member.userId AND person.status = 'active'`)
          .where('member.userId = key.userId AND member.workspaceId = key.workspaceId'),
      'workspaceRole',
    );

/**
 * Returns the scopes of a key that are in force. A user key is limited to the current permissions
 * of its user, whose role may have been lowered since the key was created. A service key loses the
 * scopes that the current settings deny to the role in `boundAs`.
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

/** Returns the roles of the users of user keys by key id, with one query. */
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
