import { OrganisationUserEntity, UserEntity, WorkspaceEntity, WorkspaceUserEntity } from '@gw/entities';
import { windowOf, type PageQuery } from '@gw/web';
import type { EntityManager } from 'typeorm';
import type { MemberRow } from './workspaces.view';

export interface MemberFilter {
  readonly userId?: string;
  readonly role?: string;
  readonly email?: string;
}

/** A page of the members of one workspace with their users, newest first, and how many there are. */
export async function membersOf(
  manager: EntityManager,
  workspaceId: string,
  page: PageQuery,
  filter: MemberFilter = {},
): Promise<[MemberRow[], number]> {
  const { skip, take } = windowOf(page);
  const query = manager
    .createQueryBuilder(WorkspaceUserEntity, 'member')
    .innerJoin(WorkspaceEntity, 'workspace', 'workspace.id = member.workspaceId')
    .innerJoin(UserEntity, 'person', 'person.id = member.userId')
    .innerJoin(
      OrganisationUserEntity,
      'seat',
      `seat.userId = member.userId AND seat.organisationId = workspace.organisationId AND seat.status = 'active'`,
    )
    .where('member.workspaceId = :workspaceId', { workspaceId });
  if (filter.userId !== undefined) query.andWhere('member.userId = :userId', { userId: filter.userId });
  if (filter.role !== undefined) query.andWhere('member.role = :role', { role: filter.role });
  if (filter.email !== undefined) query.andWhere('person.email = :email', { email: filter.email });
  const total = await query.getCount();
  const rows = await query
    .select('member.userId', 'userId')
    .addSelect('member.workspaceId', 'workspaceId')
    .addSelect('person.email', 'email')
    .addSelect('person.firstName', 'firstName')
    .addSelect('person.lastName', 'lastName')
    .addSelect('seat.role', 'organisationRole')
    .addSelect('member.role', 'role')
    .addSelect('member.createdAt', 'createdAt')
    .addSelect('member.lastUpdatedAt', 'lastUpdatedAt')
    .orderBy('member.createdAt', 'DESC')
    .addOrderBy('member.userId', 'DESC')
    .offset(skip)
    .limit(take)
    .getRawMany<MemberRow>();
  return [rows, total];
}
