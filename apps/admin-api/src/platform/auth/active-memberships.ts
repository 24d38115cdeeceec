import type { WorkspaceRole } from '@gw/auth-scopes';
import { WorkspaceEntity, WorkspaceUserEntity } from '@gw/entities';
import type { DataSource, EntityManager } from 'typeorm';

interface Member {
  readonly userId: string;
  readonly organisationId: string;
  /** Absent or null: all workspaces of the organisation. */
  readonly workspaceId?: string | null;
}

/** Roles of a user in the active workspaces of an organisation, by workspace. */
export async function activeMemberships(
  source: DataSource | EntityManager,
  { userId, organisationId, workspaceId = null }: Member,
): Promise<ReadonlyMap<string, WorkspaceRole>> {
  const members = source
    .createQueryBuilder(WorkspaceUserEntity, 'member')
    .innerJoin(
      WorkspaceEntity,
      'workspace',
      `workspace.id = member.workspaceId AND workspace.status = 'active'`,
    )
    .where('member.userId = :userId', { userId })
    .andWhere('workspace.organisationId = :organisationId', { organisationId });
  if (workspaceId !== null) members.andWhere('workspace.id = :workspaceId', { workspaceId });
  const rows = await members.getMany();
  return new Map(rows.map((each) => [each.workspaceId, each.role]));
}
