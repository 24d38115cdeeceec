import { WorkspaceEntity } from '@gw/entities';
import { isStorableText } from '@gw/kernel';
import { invalid } from '@gw/web';
import { In, type EntityManager } from 'typeorm';
import { byReference, isUuid } from './tenancy';

/**
 * Returns the id of the active workspace of an organisation with this id or slug; null for any
 * other text.
 */
export async function activeWorkspace(
  manager: EntityManager,
  organisationId: string,
  reference: string,
): Promise<string | null> {
  if (!isStorableText(reference)) return null;
  const where = { ...byReference(reference), organisationId, status: 'active' as const };
  return (await manager.findOne(WorkspaceEntity, { where, select: { id: true } }))?.id ?? null;
}

/**
 * Returns the ids of the workspaces that a body names by id or slug, in the same order. `pathOf`
 * returns the body path of an index. Throws `validation_failed` for the first reference that is not
 * an active workspace of the organisation.
 */
export async function workspaceIds(
  manager: EntityManager,
  organisationId: string,
  references: readonly string[],
  pathOf: (index: number) => string,
): Promise<string[]> {
  if (references.length === 0) return [];
  const live = { organisationId, status: 'active' } as const;
  const rows = await manager.find(WorkspaceEntity, {
    where: [
      { ...live, id: In(references.filter(isUuid).map((id) => id.toLowerCase())) },
      { ...live, slug: In(references.filter((reference) => !isUuid(reference))) },
    ],
    select: { id: true, slug: true },
  });
  const idOf = new Map(rows.flatMap(({ id, slug }) => [[id, id] as const, [slug, id] as const]));
  return references.map((reference, index) => {
    const id = idOf.get(isUuid(reference) ? reference.toLowerCase() : reference);
    if (id === undefined) throw invalid(pathOf(index), 'is not an active workspace of the organisation');
    return id;
  });
}

/**
 * Returns the ids of the workspaces whose access a body sets, in order. Throws `validation_failed`
 * for unknown or duplicated ones.
 */
export async function accessWorkspaceIds(
  manager: EntityManager,
  organisationId: string,
  items: readonly { readonly id: string }[],
): Promise<string[]> {
  const pathOf = (index: number): string => `workspaces.${String(index)}.id`;
  const references = items.map(({ id }) => id);
  const ids = await workspaceIds(manager, organisationId, references, pathOf);
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (repeated !== -1) throw invalid(pathOf(repeated), 'is duplicated');
  return ids;
}
