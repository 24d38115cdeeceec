import { documentKey } from '@gw/contracts';
import { OrganisationEntity, WorkspaceEntity } from '@gw/entities';
import { randomHex, uuidv7 } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { slugOf } from '../../platform/common/text';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import { FOR_CHANGE, type Write } from '../../platform/unit-of-work/writes';

/**
 * Returns the id of the active workspace with this name or slug, ignoring case; creates the
 * workspace when there is none.
 */
export async function workspaceNamed(
  write: Write<AuditCaller>,
  organisationId: string,
  name: string,
): Promise<string> {
  const { manager } = write;
  const known = await activeNamed(manager, organisationId, name);
  if (known !== null) return known;
  // The lock on the organisation's row serialises groups that name the same new workspace.
  await manager.findOne(OrganisationEntity, { where: { id: organisationId }, lock: FOR_CHANGE });
  const created = await activeNamed(manager, organisationId, name);
  if (created !== null) return created;
  const id = uuidv7();
  const slug = `ws-${slugOf(name, 6)}-${randomHex(3)}`;
  await manager.insert(WorkspaceEntity, { id, organisationId, name: name.slice(0, 255), slug });
  write.changed(documentKey.workspace(id), documentKey.workspaceSlug(organisationId, slug));
  const after = { id, name, slug, source: 'scim' };
  write.audit({ action: 'create', resourceType: 'workspaces', resourceId: id, workspaceId: id, after });
  return id;
}

async function activeNamed(
  manager: EntityManager,
  organisationId: string,
  name: string,
): Promise<string | null> {
  const [found] = await manager
    .createQueryBuilder(WorkspaceEntity, 'workspace')
    .select('workspace.id', 'id')
    .where(`workspace.organisationId = :organisationId AND workspace.status = 'active'`, { organisationId })
    .andWhere('(lower(workspace.name) = lower(:name) OR workspace.slug = lower(:name))', { name })
    .orderBy('workspace.createdAt')
    .limit(1)
    .getRawMany<{ id: string }>();
  return found?.id ?? null;
}
