import { OrganisationUserEntity, UserEntity, WorkspaceEntity, WorkspaceUserEntity } from '@gw/entities';
import { contentTag, windowOf, type PageQuery } from '@gw/web';
import type { EntityManager } from 'typeorm';
import { found, idOf } from '../../platform/auth/tenancy';
import type { MemberResponse } from './workspace-members.dto';

type MemberRow = Omit<MemberResponse, 'object' | 'status' | 'etag' | 'created_at' | 'last_updated_at'> & {
  readonly created_at: Date;
  readonly last_updated_at: Date;
};

interface MemberFilter {
  readonly userId?: string;
  readonly role?: string | undefined;
  readonly email?: string | undefined;
}

/**
 * Returns a page of the members of one workspace, newest first, and the number of all members that
 * match.
 */
export async function membersOf(
  manager: EntityManager,
  workspaceId: string,
  page: PageQuery,
  filter: MemberFilter = {},
): Promise<[MemberResponse[], number]> {
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
  const { userId, role, email } = filter;
  if (userId !== undefined) query.andWhere('member.userId = :userId', { userId });
  if (role !== undefined) query.andWhere('member.role = :role', { role });
  if (email !== undefined) query.andWhere('person.email = :email', { email: email.toLowerCase() });
  const total = await query.getCount();
  const rows = await query
    .select('member.userId', 'id')
    .addSelect('person.email', 'email')
    .addSelect('person.firstName', 'first_name')
    .addSelect('person.lastName', 'last_name')
    .addSelect('seat.role', 'org_role')
    .addSelect('member.role', 'role')
    .addSelect('member.workspaceId', 'workspace_id')
    .addSelect('member.createdAt', 'created_at')
    .addSelect('member.lastUpdatedAt', 'last_updated_at')
    .orderBy('member.createdAt', 'DESC')
    .addOrderBy('member.userId', 'DESC')
    .offset(skip)
    .limit(take)
    .getRawMany<MemberRow>();
  return [rows.map(toMember), total];
}

/** Returns a member of the workspace. Throws `not_found` when the user is not one. */
export async function findMember(
  manager: EntityManager,
  workspaceId: string,
  userId: string,
): Promise<MemberResponse> {
  const first = { current_page: 0, page_size: 1 };
  const [[member]] = await membersOf(manager, workspaceId, first, { userId: idOf(userId) });
  return found(member);
}

function toMember(row: MemberRow): MemberResponse {
  const { workspace_id: workspaceId, id, email, first_name: first, last_name: last, org_role, role } = row;
  return {
    object: 'workspace-user',
    ...row,
    status: 'active',
    created_at: row.created_at.toISOString(),
    last_updated_at: row.last_updated_at.toISOString(),
    etag: contentTag([workspaceId, id, email, first, last, org_role, role]),
  };
}
