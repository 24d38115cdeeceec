import { WorkspaceEntity } from '@gw/entities';
import { invalid } from '@gw/web';
import { In, type EntityManager } from 'typeorm';
import { isUuid } from './tenancy';

/**
 * The ids of the workspaces that a body names by id or slug, in its order. Throws `validation_failed` for the first that is no
 * active workspace of the organisation; `pathOf` gives the place of an index in the body.
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
    if (id === undefined) throw invalid(pathOf(index), 'names no workspace of the organisation');
    return id;
  });
}
