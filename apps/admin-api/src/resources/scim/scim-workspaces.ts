import { documentKey } from '@gw/contracts';
import { WorkspaceEntity } from '@gw/entities';
import { randomHex, uuidv7 } from '@gw/kernel';
import { slugOf } from '../../platform/common/text';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import type { Write } from '../../platform/unit-of-work/writes';

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
  const [known] = await manager
    .createQueryBuilder(WorkspaceEntity, 'workspace')
    .select('workspace.id', 'id')
    .where(`workspace.organisationId = :organisationId AND workspace.status = 'active'`, { organisationId })
    .andWhere('(lower(workspace.name) = lower(:name) OR workspace.slug = lower(:name))', { name })
    .orderBy('workspace.createdAt')
    .limit(1)
    .getRawMany<{ id: string }>();
  if (known !== undefined) return known.id;
  const id = uuidv7();
  const slug = `ws-${slugOf(name, 6)}-${randomHex(3)}`;
  await manager.insert(WorkspaceEntity, { id, organisationId, name: name.slice(0, 255), slug });
  write.changed(documentKey.workspace(id), documentKey.workspaceSlug(organisationId, slug));
  const after = { id, name, slug, source: 'scim' };
  write.audit({ action: 'create', resourceType: 'workspaces', resourceId: id, workspaceId: id, after });
  return id;
}
