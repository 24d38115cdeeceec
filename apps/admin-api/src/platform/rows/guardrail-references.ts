import { GuardrailEntity } from '@gw/entities';
import { validationFailed } from '@gw/web';
import { In, IsNull, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { isUuid } from '../auth/tenancy';

/**
 * Scope of a guardrail reference: a workspace, or the whole organisation when `workspaceId` is
 * null.
 */
export interface GuardrailScope {
  readonly organisationId: string;
  readonly workspaceId: string | null;
}

/** Shape of a slug or id; no other text can name a guardrail. */
const NAME = /^[\w-]{1,255}$/;

/**
 * Returns the ids of the active guardrails for LLM requests that the names can mean in the scope,
 * by slug and by id.
 */
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
    // The read lock makes a concurrent deletion wait; it then sees the new reference.
    ...(isWrite ? { lock: { mode: 'pessimistic_read' as const } } : {}),
  });
  return new Map(rows.flatMap(({ id, slug }) => [[id, id] as const, [slug, id] as const]));
}

/**
 * Returns a function that tests whether a name is the slug or id of a guardrail of the scope,
 * exactly as gateways look it up.
 */
export async function knownGuardrails(
  manager: EntityManager,
  scope: GuardrailScope,
  names: readonly string[],
): Promise<(name: string) => boolean> {
  const ids = await byName(manager, scope, names);
  return (name) => ids.has(name);
}

/**
 * Returns the ids of the guardrails in a list of ids and slugs, without duplicates. Throws
 * `validation_failed` with all unknown references.
 */
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
      ? [{ path: `${path}.${String(index)}`, message: `is not a guardrail of the ${owner}` }]
      : [],
  );
  if (faults.length > 0) throw validationFailed(faults);
  return [...new Set(found.filter((id) => id !== undefined))];
}

/** Returns slugs by id, for responses; ids without a row are left out. */
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
