import { securityInForce, type SecuritySettings, type StoredSecurity } from '@gw/auth-scopes';
import { OrganisationEntity, WorkspaceEntity } from '@gw/entities';
import type { EntityManager } from 'typeorm';

/** Returns the security settings in force in a workspace, or in the whole organisation when `workspaceId` is null. */
export async function securityOf(
  manager: EntityManager,
  organisationId: string,
  workspaceId: string | null,
): Promise<SecuritySettings> {
  const row = await manager
    .createQueryBuilder(OrganisationEntity, 'organisation')
    .leftJoin(
      WorkspaceEntity,
      'workspace',
      'workspace.id = :workspaceId AND workspace.organisationId = organisation.id',
      { workspaceId },
    )
    .select('organisation.securitySettings', 'organisation')
    .addSelect('organisation.workspaceOverrides', 'overrides')
    .addSelect('workspace.securitySettings', 'workspace')
    .where('organisation.id = :organisationId', { organisationId })
    .getRawOne<{ [member in keyof StoredSecurity]: StoredSecurity[member] | null }>();
  return securityInForce({
    organisation: row?.organisation ?? {},
    workspace: row?.workspace ?? {},
    overrides: row?.overrides ?? {},
  });
}
