import {
  McpConnectionEntity,
  McpServerUserEntity,
  OrganisationUserEntity,
  UserEntity,
  WorkspaceUserEntity,
  type McpServerEntity,
} from '@gw/entities';
import { windowOf, type PageQuery } from '@gw/web';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { escapeLike } from '../common/text';

/** A member of the workspace of an MCP server. */
export interface McpMember {
  readonly user_id: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  /** The exception for the user; null: the default of the server applies. */
  readonly exception: boolean | null;
  readonly connected: boolean;
}

const membersOf = (
  manager: EntityManager,
  { organisationId, workspaceId }: Pick<McpServerEntity, 'organisationId' | 'workspaceId'>,
): SelectQueryBuilder<WorkspaceUserEntity> =>
  manager
    .createQueryBuilder(WorkspaceUserEntity, 'member')
    .innerJoin(UserEntity, 'person', 'person.id = member.userId')
    .innerJoin(
      OrganisationUserEntity,
      'seat',
      `seat.userId = member.userId AND seat.organisationId = :organisationId AND seat.status = 'active'`,
      { organisationId },
    )
    .where('member.workspaceId = :workspaceId', { workspaceId });

/** Returns a page of the members with their access, newest first, and the number of all that match. */
export async function accessOfMembers(
  manager: EntityManager,
  server: McpServerEntity,
  page: PageQuery,
  search: string | undefined,
): Promise<[McpMember[], number]> {
  const { skip, take } = windowOf(page);
  const query = membersOf(manager, server);
  if (search !== undefined) {
    query.andWhere(
      `(person.email ILIKE :like OR concat_ws(' ', person.first_name, person.last_name) ILIKE :like)`,
      { like: `%${escapeLike(search)}%` },
    );
  }
  const total = await query.getCount();
  const rows = await query
    .leftJoin(McpServerUserEntity, 'own', 'own.userId = member.userId AND own.serverId = :serverId')
    .leftJoin(
      McpConnectionEntity,
      'connection',
      `connection.userId = member.userId AND connection.serverId = :serverId AND connection.status IN ('connected', 'needs_scope')`,
    )
    .setParameter('serverId', server.id)
    .select('member.userId', 'user_id')
    .addSelect('person.firstName', 'first_name')
    .addSelect('person.lastName', 'last_name')
    .addSelect('own.enabled', 'exception')
    .addSelect('connection.id IS NOT NULL', 'connected')
    .orderBy('member.createdAt', 'DESC')
    .addOrderBy('member.userId', 'DESC')
    .offset(skip)
    .limit(take)
    .getRawMany<McpMember>();
  return [rows, total];
}

/** Returns those of the ids that are members of the workspace. */
export async function memberIds(
  manager: EntityManager,
  place: Pick<McpServerEntity, 'organisationId' | 'workspaceId'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await membersOf(manager, place)
    .andWhere('member.userId = ANY(CAST(:ids AS uuid[]))', { ids })
    .select('member.userId', 'id')
    .getRawMany<{ readonly id: string }>();
  return new Set(rows.map(({ id }) => id));
}
