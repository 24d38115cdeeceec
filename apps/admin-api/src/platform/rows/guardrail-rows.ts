import { documentKey, type DocumentKey } from '@gw/contracts';
import { GuardrailEntity, GuardrailVersionEntity, WorkspaceEntity } from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { IsNull, Not, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { FOR_UPDATE } from '../unit-of-work/writes';
import { assertScope } from '../auth/scope-checks';
import type { Principal } from '../common/principal';
import { byReference, found, isUuid } from '../auth/tenancy';

export type StoredContent = Pick<GuardrailVersionEntity, 'checks' | 'actions' | 'sealedSecrets'>;

type Action = 'create' | 'read' | 'list' | 'update' | 'delete';

const OWN = 'guardrails';
const COMMON = 'organisation_guardrails';

/**
 * Returns the scopes of a route for workspace and organisation guardrails; the row decides which of them is required.
 */
export const scopesFor = (action: Action): [string, string] => [`${OWN}.${action}`, `${COMMON}.${action}`];

/** Returns the id of the user, or of the API key if it has no user. */
export const actorOf = ({ userId, apiKeyId }: Principal): string | null => userId ?? apiKeyId;

/** Condition for the guardrails of a tenant: a workspace's own and the organisation's, or all of the organisation. */
const ofTenant = ({ organisationId, workspaceId }: Principal): FindOptionsWhere<GuardrailEntity>[] =>
  workspaceId === null
    ? [{ organisationId, status: 'active' }]
    : [
        { organisationId, workspaceId, status: 'active' },
        { organisationId, workspaceId: IsNull(), status: 'active' },
      ];

/** Condition for the guardrails of the tenant that the caller's scopes allow to list. */
export function listedFor(caller: Principal): FindOptionsWhere<GuardrailEntity>[] {
  const [own, common] = scopesFor('list').map((scope) => caller.scopes.has(scope));
  if (own && (common || caller.workspaceId !== null)) return ofTenant(caller);
  const { organisationId } = caller;
  return [{ organisationId, workspaceId: own ? Not(IsNull()) : IsNull(), status: 'active' }];
}

/**
 * Throws `scope_missing`, and `forbidden` for a change of the organisation's guardrails from within a workspace. A
 * caller who may read a workspace's guardrails may also read those of the organisation there, since they apply to its
 * requests.
 */
export function assertMay(caller: Principal, workspaceId: string | null, action: Action): void {
  const [own, common] = scopesFor(action);
  if (workspaceId !== null) assertScope(caller, [own]);
  else if (caller.workspaceId === null) assertScope(caller, [common]);
  else if (action === 'read') assertScope(caller, [own, common]);
  else
    throw new GatewayError('forbidden', {
      message: 'The guardrail belongs to the whole organisation; use a credential of the organisation.',
    });
}

export async function findGuardrail(
  manager: EntityManager,
  caller: Principal,
  reference: string,
  action: Action,
): Promise<GuardrailEntity> {
  const where = ofTenant(caller).map((tenant) => ({ ...tenant, ...byReference(reference) }));
  const isChange = action === 'update' || action === 'delete';
  const row = found(
    await manager.findOne(GuardrailEntity, { where, ...(isChange ? { lock: FOR_UPDATE } : {}) }),
  );
  assertMay(caller, row.workspaceId, action);
  return row;
}

/** Returns a guardrail that the caller may run: any of their tenant. */
export async function findRunnable(
  manager: EntityManager,
  caller: Principal,
  reference: string,
): Promise<GuardrailEntity> {
  const where = ofTenant(caller).map((tenant) => ({ ...tenant, ...byReference(reference) }));
  return found(await manager.findOne(GuardrailEntity, { where }));
}

export const currentOf = (
  manager: EntityManager,
  { currentVersionId }: GuardrailEntity,
): Promise<GuardrailVersionEntity> =>
  manager.findOneByOrFail(GuardrailVersionEntity, { id: currentVersionId });

export async function findVersion(
  manager: EntityManager,
  { id: guardrailId }: GuardrailEntity,
  id: string,
): Promise<GuardrailVersionEntity> {
  const where = { guardrailId, id: id.toLowerCase() };
  return found(isUuid(id) ? await manager.findOneBy(GuardrailVersionEntity, where) : null);
}

export async function addVersion(
  manager: EntityManager,
  caller: Principal,
  { id: guardrailId }: Pick<GuardrailEntity, 'id'>,
  content: StoredContent,
  id = uuidv7(),
): Promise<GuardrailVersionEntity> {
  const last = await manager.maximum(GuardrailVersionEntity, 'number', { guardrailId });
  const number = (last ?? 0) + 1;
  const createdBy = actorOf(caller);
  return manager.save(
    manager.create(GuardrailVersionEntity, { id, guardrailId, number, createdBy, ...content }),
  );
}

/**
 * Returns the document keys of a guardrail, by slug and by id; for a guardrail of the organisation, in each of its
 * workspaces.
 */
export async function keysOf(
  manager: EntityManager,
  { organisationId, workspaceId, slug, id }: GuardrailEntity,
): Promise<DocumentKey[]> {
  const live = { organisationId, status: 'active' } as const;
  const workspaces =
    workspaceId === null
      ? await manager.find(WorkspaceEntity, { where: live, select: { id: true } })
      : [{ id: workspaceId }];
  return workspaces.flatMap(({ id: owner }) => [
    documentKey.guardrail(owner, slug),
    documentKey.guardrail(owner, id),
  ]);
}

export async function keysOfAll(
  manager: EntityManager,
  rows: readonly GuardrailEntity[],
): Promise<DocumentKey[]> {
  const keys: DocumentKey[] = [];
  for (const row of rows) keys.push(...(await keysOf(manager, row)));
  return keys;
}
