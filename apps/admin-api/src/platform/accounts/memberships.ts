import { WorkspaceEntity, WorkspaceUserEntity } from '@gw/entities';
import { Any, type EntityManager } from 'typeorm';

/**
 * Returns the memberships of users in all workspaces of an organisation, including archived
 * workspaces.
 */
export async function membershipsIn(
  manager: EntityManager,
  organisationId: string,
  userIds: readonly string[],
): Promise<readonly WorkspaceUserEntity[]> {
  const workspaces = await manager.find(WorkspaceEntity, { where: { organisationId }, select: { id: true } });
  const workspaceId = Any(workspaces.map(({ id }) => id));
  return manager.findBy(WorkspaceUserEntity, { userId: Any(userIds), workspaceId });
}
