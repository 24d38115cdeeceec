import { documentKey } from '@gw/contracts';
import { WorkspaceEntity, type RateLimitPolicyEntity, type UsageLimitPolicyEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { windowOf, type PageQuery } from '@gw/web';
import { ILike, type EntityManager, type EntityTarget, type FindOptionsWhere } from 'typeorm';
import { FOR_UPDATE, type Write } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { found, inWorkspace, isUuid, reach, type TenantWhere } from '../../platform/auth/tenancy';
import { escapeLike } from '../../platform/common/text';

export type PolicyRow = UsageLimitPolicyEntity | RateLimitPolicyEntity;
type Status = PolicyRow['status'];

/** Of each kind in one workspace: every gateway holds all of them in memory and asks each for every request. */
const POLICIES_MAX = 100;

interface PolicyFilter extends PageQuery {
  readonly organisation_id?: string;
  readonly search?: string;
  readonly status?: Status;
}

/** 404 for another organisation than the caller's. */
export function assertOwnOrganisation({ organisationId }: Principal, named: string | undefined): void {
  found(named === undefined || named.toLowerCase() === organisationId ? organisationId : null);
}

/** A page of policies, newest first; `more` are the filters of the kind, an undefined one filters nothing. */
export function listPolicies<T extends PolicyRow>(
  manager: EntityManager,
  entity: EntityTarget<T>,
  caller: Principal,
  query: PolicyFilter,
  more: object,
): Promise<[T[], number]> {
  assertOwnOrganisation(caller, query.organisation_id);
  const { search, status = 'active' } = query;
  const where = {
    ...reach(caller),
    ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined)),
    status,
    ...(search === undefined ? {} : { name: ILike(`%${escapeLike(search)}%`) }),
  };
  return manager.findAndCount<PolicyRow>(entity, {
    where: where as FindOptionsWhere<PolicyRow>,
    order: { createdAt: 'DESC', id: 'DESC' },
    ...windowOf(query),
  }) as Promise<[T[], number]>;
}

/** 404 for one that is not there, is of another tenant, or has another status. */
export async function findPolicy<T extends PolicyRow>(
  manager: EntityManager,
  entity: EntityTarget<T>,
  caller: Principal,
  id: string,
  { status = 'active', forUpdate = false }: { readonly status?: Status; readonly forUpdate?: boolean } = {},
): Promise<T> {
  const where = { ...reach(caller), id: found(isUuid(id) ? id.toLowerCase() : null), status };
  const row = await manager.findOne<PolicyRow>(entity, {
    where,
    ...(forUpdate ? { lock: FOR_UPDATE } : {}),
  });
  return found(row as T | null);
}

/** The workspace that a new policy belongs to. Throws `conflict` when it has as many as one may have. */
export async function roomFor<T extends PolicyRow>(
  manager: EntityManager,
  entity: EntityTarget<T>,
  caller: Principal,
): Promise<Required<TenantWhere>> {
  const owner = inWorkspace(caller);
  // The workspace's row serialises two writers that both want the last place.
  const where = { id: owner.workspaceId, organisationId: owner.organisationId, status: 'active' } as const;
  found(await manager.findOne(WorkspaceEntity, { where, lock: FOR_UPDATE }));
  const active = { ...owner, status: 'active' } as FindOptionsWhere<T>;
  if ((await manager.countBy(entity, active)) >= POLICIES_MAX) {
    throw new GatewayError('conflict', {
      message: `A workspace has at most ${String(POLICIES_MAX)} active policies of a kind.`,
    });
  }
  return owner;
}

/** The workspace's document carries its policies, so it changes with each of them. */
export function recordPolicy(
  write: Write,
  action: 'create' | 'update' | 'delete',
  { id, workspaceId }: PolicyRow,
  states: { readonly before?: object; readonly after?: object },
): void {
  write.audit({ action, resourceType: 'policies', resourceId: id, workspaceId, ...states });
  write.changed(documentKey.workspace(workspaceId));
}
