import type { OrganisationRole, WorkspaceRole } from '@gw/auth-scopes';
import { documentKey, type DocumentKey } from '@gw/contracts';
import {
  OrganisationEntity,
  OrganisationUserEntity,
  PlaygroundKeyEntity,
  SessionEntity,
  UserEntity,
  WorkspaceEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import type { EntityManager } from 'typeorm';

/** A playground key in force, with the current roles of its user. */
export interface LivePlaygroundKey extends Pick<
  PlaygroundKeyEntity,
  'keyHash' | 'userId' | 'organisationId' | 'workspaceId' | 'expiresAt'
> {
  readonly role: OrganisationRole;
  /** Null for an owner or admin of the organisation who is not a member of the workspace. */
  readonly workspaceRole: WorkspaceRole | null;
}

/**
 * Returns the keys in force among these hashes: their session is live, and their user, membership,
 * organisation and workspace are active.
 */
export async function livePlaygroundKeys(
  manager: EntityManager,
  hashes: readonly string[],
): Promise<LivePlaygroundKey[]> {
  if (hashes.length === 0) return [];
  const rows = await manager
    .createQueryBuilder(PlaygroundKeyEntity, 'key')
    .innerJoin(
      SessionEntity,
      'session',
      'session.id = key.sessionId AND session.revokedAt IS NULL AND session.expiresAt > now()',
    )
    .innerJoin(UserEntity, 'person', `person.id = key.userId AND person.status = 'active'`)
    .innerJoin(
      OrganisationUserEntity,
      'seat',
      `seat.userId = key.userId AND seat.organisationId = key.organisationId AND seat.status = 'active'`,
    )
    .innerJoin(
      OrganisationEntity,
      'organisation',
      `organisation.id = key.organisationId AND organisation.status = 'active'`,
    )
    .innerJoin(WorkspaceEntity, 'workspace', `workspace.id = key.workspaceId AND workspace.status = 'active'`)
    .leftJoin(
      WorkspaceUserEntity,
      'member',
      'member.workspaceId = key.workspaceId AND member.userId = key.userId',
    )
    .select('key.keyHash', 'keyHash')
    .addSelect('key.userId', 'userId')
    .addSelect('key.organisationId', 'organisationId')
    .addSelect('key.workspaceId', 'workspaceId')
    .addSelect('LEAST(key.expiresAt, session.expiresAt)', 'expiresAt')
    .addSelect('seat.role', 'role')
    .addSelect('member.role', 'workspaceRole')
    .where('key.keyHash IN (:...hashes) AND key.expiresAt > now()', { hashes })
    .getRawMany<LivePlaygroundKey>();
  return rows.filter(({ role, workspaceRole }) => role !== 'member' || workspaceRole !== null);
}

/** Returns the document keys of playground keys. */
export const playgroundDocuments = (rows: readonly Pick<PlaygroundKeyEntity, 'keyHash'>[]): DocumentKey[] =>
  rows.map(({ keyHash }) => documentKey.accessToken(keyHash));
