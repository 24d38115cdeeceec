import { GuardrailEntity } from '@gw/entities';
import { validationFailed } from '@gw/web';
import { In, IsNull, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { isUuid } from '../auth/tenancy';

/** Where a name of a guardrail is written: in a workspace, or (null) in the organisation as a whole. */
export interface GuardrailScope {
  readonly organisationId: string;
  readonly workspaceId: string | null;
}

/** What a slug or an id can be; other texts name nothing. */
const NAME = /^[\w-]{1,255}$/;

/** Live guardrails for requests to models that names of a scope may mean, by slug and by id. */
async function byName(
  manager: EntityManager,
  { organisationId, workspaceId }: GuardrailScope,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const slugs = names.filter((name) => NAME.test(name));
  if (slugs.length === 0) return new Map();
  const live = { organisationId, status: 'active', target: 'llm' } as const;
  const ids = slugs.filter(isUuid).map((name) => name.toLowerCase());
  const where = [IsNull(), ...(workspaceId === null ? [] : [workspaceId])].flatMap(
    (owner): FindOptionsWhere<GuardrailEntity>[] => [
      { ...live, workspaceId: owner, slug: In(slugs) },
      { ...live, workspaceId: owner, id: In(ids) },
    ],
  );
  const isWrite = manager.queryRunner?.isTransactionActive === true;
  const rows = await manager.find(GuardrailEntity, {
    where,
    // No one deletes what is being named: a delete waits, and then sees who names it.
    ...(isWrite ? { lock: { mode: 'pessimistic_read' as const } } : {}),
  });
  return new Map(rows.flatMap(({ id, slug }) => [[id, id] as const, [slug, id] as const]));
}

/** Which of the names are those of guardrails. */
export async function knownGuardrails(
  manager: EntityManager,
  scope: GuardrailScope,
  names: readonly string[],
): Promise<(name: string) => boolean> {
  const ids = await byName(manager, scope, names);
  return (name) => ids.has(name) || ids.has(name.toLowerCase());
}

/** The ids of guardrails that a list names by id or slug, each once. Throws `validation_failed` for all that name none. */
export async function guardrailIdsOf(
  manager: EntityManager,
  scope: GuardrailScope,
  references: readonly string[],
  path: string,
): Promise<string[]> {
  const ids = await byName(manager, scope, references);
  const found = references.map((reference) =>
    ids.get(isUuid(reference) ? reference.toLowerCase() : reference),
  );
  const owner = scope.workspaceId === null ? 'organisation' : 'workspace';
  const faults = found.flatMap((id, index) =>
    id === undefined
      ? [{ path: `${path}.${String(index)}`, message: `names no guardrail of the ${owner}` }]
      : [],
  );
  if (faults.length > 0) throw validationFailed(faults);
  return [...new Set(found.filter((id) => id !== undefined))];
}

/** Slugs by id, for answers; ids that are gone are left out. */
export async function guardrailSlugsOf(
  manager: EntityManager,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await manager.find(GuardrailEntity, {
    where: { id: In([...new Set(ids)]) },
    select: { id: true, slug: true },
  });
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}
