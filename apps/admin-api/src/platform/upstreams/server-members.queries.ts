import { OrganisationUserEntity, UserEntity, WorkspaceUserEntity, type UpstreamServer } from '@gw/entities';
import { windowOf, type PageQuery } from '@gw/web';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { escapeLike } from '../common/text';

/** A user's access to a server, stored when it differs from the server's default. */
export interface ServerUserRow {
  serverId: string;
  userId: string;
  enabled: boolean;
}

/** A member of the workspace of a server. */
export interface ServerMember {
  readonly user_id: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  /** The exception for the user; null when the default of the server applies. */
  readonly exception: boolean | null;
}

type Place = Pick<UpstreamServer, 'organisationId' | 'workspaceId'>;
type Server = Place & Pick<UpstreamServer, 'id'>;
type MemberQuery = SelectQueryBuilder<WorkspaceUserEntity>;

const membersOf = (manager: EntityManager, { organisationId, workspaceId }: Place): MemberQuery =>
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

export interface MemberSearch {
  readonly search: string | undefined;
  /** Entity of the exceptions from the default. */
  readonly users: new () => ServerUserRow;
  /** Adds columns to the query, which has the parameter `serverId`. */
  readonly more?: (query: MemberQuery) => MemberQuery;
}

/**
 * Returns a page of the members with their access, newest first, and the number of all that match.
 */
export async function accessOfMembers<M extends ServerMember = ServerMember>(
  manager: EntityManager,
  server: Server,
  page: PageQuery,
  { search, users, more = (query) => query }: MemberSearch,
): Promise<[M[], number]> {
  const { skip, take } = windowOf(page);
  const query = membersOf(manager, server);
  if (search !== undefined) {
    query.andWhere(
      `(person.email ILIKE :like OR concat_ws(' ', person.first_name, person.last_name) ILIKE :like)`,
      { like: `%${escapeLike(search)}%` },
    );
  }
  const total = await query.getCount();
  const selected = query
    .leftJoin(users, 'own', 'own.userId = member.userId AND own.serverId = :serverId')
    .setParameter('serverId', server.id)
    .select('member.userId', 'user_id')
    .addSelect('person.firstName', 'first_name')
    .addSelect('person.lastName', 'last_name')
    .addSelect('own.enabled', 'exception');
  const rows = await more(selected)
    .orderBy('member.createdAt', 'DESC')
    .addOrderBy('member.userId', 'DESC')
    .offset(skip)
    .limit(take)
    .getRawMany<M>();
  return [rows, total];
}

/** Returns the ids that belong to members of the workspace. */
export async function memberIds(
  manager: EntityManager,
  place: Place,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await membersOf(manager, place)
    .andWhere('member.userId = ANY(CAST(:ids AS uuid[]))', { ids })
    .select('member.userId', 'id')
    .getRawMany<{ readonly id: string }>();
  return new Set(rows.map(({ id }) => id));
}
