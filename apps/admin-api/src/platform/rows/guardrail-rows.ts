import { documentKey, type DocumentKey } from '@gw/contracts';
import { GuardrailEntity, GuardrailVersionEntity, WorkspaceEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { IsNull, Not, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { assertScope } from '../auth/scope-checks';
import type { Principal } from '../common/principal';
import { byReference } from '../auth/tenancy';
import type { ResourceReference } from '../resource/resource-reference';
import { findRow } from '../resource/rows';
import { versionNamed, type Versions } from '../resource/versioned';

export type StoredContent = Pick<GuardrailVersionEntity, 'checks' | 'actions' | 'sealedSecrets'>;

type Action = 'create' | 'read' | 'list' | 'update' | 'delete';

const OWN = 'guardrails';
const COMMON = 'organisation_guardrails';

/**
 * Returns the scopes of a route for workspace and organisation guardrails; the row decides which of
 * them is required.
 */
export const scopesFor = (action: Action): [string, string] => [`${OWN}.${action}`, `${COMMON}.${action}`];

/**
 * Condition for the guardrails of a tenant: those of the workspace and of the organisation, or all
 * of the organisation when there is no workspace.
 */
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
 * Throws `scope_missing`, and `forbidden` for a change of the organisation's guardrails from within
 * a workspace. Callers who may read a workspace's guardrails may also read those of the
 * organisation there, since they apply to the workspace's requests.
 */
export function assertMay(caller: Principal, workspaceId: string | null, action: Action): void {
  const [own, common] = scopesFor(action);
  if (workspaceId !== null) assertScope(caller, [own]);
  else if (caller.workspaceId === null) assertScope(caller, [common]);
  else if (action === 'read') assertScope(caller, [own, common]);
  else
    throw new GatewayError('forbidden', {
      message:
        'The guardrail belongs to the whole organisation; use a credential of the organisation and name no workspace.',
    });
}

/**
 * Describes guardrails to the functions for rows: the rows that a path can name, and who may change
 * them.
 */
export const GUARDRAIL = {
  entity: GuardrailEntity,
  type: 'guardrails',
  where: (caller: Principal, reference: string) =>
    ofTenant(caller).map((tenant) => ({ ...tenant, ...byReference(reference) })),
  allow: (row: GuardrailEntity, caller: Principal, action: 'update' | 'delete'): void => {
    assertMay(caller, row.workspaceId, action);
  },
} as const;

export const VERSIONS: Versions<GuardrailVersionEntity> = {
  entity: GuardrailVersionEntity,
  owner: 'guardrailId',
};

/** Returns a guardrail that the caller may read. Throws `not_found` or `scope_missing`. */
export async function findReadable(
  manager: EntityManager,
  at: Pick<ResourceReference, 'caller' | 'reference'>,
): Promise<GuardrailEntity> {
  const row = await findRow(manager, GUARDRAIL, at);
  assertMay(at.caller, row.workspaceId, 'read');
  return row;
}

export const currentOf = (
  manager: EntityManager,
  { currentVersionId }: GuardrailEntity,
): Promise<GuardrailVersionEntity> => versionNamed(manager, VERSIONS, currentVersionId);

/**
 * Returns the document keys of a guardrail, by slug and by id; for a guardrail of the organisation,
 * in each of its workspaces.
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
