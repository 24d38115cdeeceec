import { documentKey } from '@gw/contracts';
import { WorkspaceEntity, type RateLimitPolicyEntity, type UsageLimitPolicyEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { listOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type DeepPartial, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { assertMayChangeLimits, assertMayEnd, rankOf } from '../../platform/auth/grants';
import { found, inWorkspace, isUuid, reach, type TenantWhere } from '../../platform/auth/tenancy';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import type { Principal } from '../../platform/common/principal';
import {
  archiveRow,
  createRow,
  findRow,
  listRows,
  patchRow,
  present,
  type Resource,
} from '../../platform/resource/rows';
import { FOR_CHANGE, Writes } from '../../platform/unit-of-work/writes';
import type { ListPoliciesQuery } from './policies.dto';

export type PolicyRow = UsageLimitPolicyEntity | RateLimitPolicyEntity;
type Status = PolicyRow['status'];

/** Describes the differences between the kinds of policies. */
export interface PolicyDefinition<R extends PolicyRow, Create, Update, Response> extends Resource<R> {
  readonly view: (row: R) => Response & object;
  readonly object: string;
  /** Returns the columns of a new policy. Throws `validation_failed`. */
  readonly columns: (input: Create) => DeepPartial<R>;
  /**
   * Applies an update. The returned object is added to the audit record. Throws
   * `validation_failed`.
   */
  readonly change: (row: R, input: Update, manager: EntityManager) => Promise<object | void> | void;
}

/** Resource definition that all kinds of policies share. */
export const policyResource = {
  type: 'policies',
  where: (caller: Principal, id: string) => ofStatus('active')(caller, id),
  allow: (row: PolicyRow, caller: Principal, action: 'update' | 'delete'): void => {
    if (action === 'update') assertMayChangeLimits(caller, row.limitsRank);
    else assertMayEnd(caller, [row], 'The policy');
  },
  // The workspace's document contains its policies.
  changes: ({ workspaceId }: PolicyRow) => [documentKey.workspace(workspaceId)],
} as const;

const ofStatus =
  (status: Status) =>
  (caller: Principal, id: string): TenantWhere & { readonly id: string; readonly status: Status } => ({
    ...reach(caller),
    id: found(isUuid(id) ? id.toLowerCase() : null),
    status,
  });

/**
 * Maximum number of policies of each kind in one workspace, because every gateway holds all of them
 * in memory and checks each one for every request.
 */
const POLICIES_MAX = 100;

/** Implements the routes that usage and rate limit policies share. */
@Injectable()
export class PoliciesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  create<R extends PolicyRow, C extends { readonly organisation_id?: string }, U, A, O extends string>(
    kind: PolicyDefinition<R, C, U, A> & { readonly object: O },
    caller: Principal,
    input: C,
  ): Promise<{ id: string; object: O }> {
    assertOrganisationFound(caller, input.organisation_id);
    const columns = kind.columns(input);
    return this.writes.run(caller, async (write) => {
      const owner = await roomFor(write.manager, kind, caller);
      const values = { ...columns, ...owner, status: 'active', limitsRank: rankOf(caller) };
      const { id } = await createRow(write, kind, values as DeepPartial<R>);
      return { id, object: kind.object };
    });
  }

  /**
   * Lists policies, newest first. `filters` are those of the kind; undefined filters are ignored.
   */
  async list<R extends PolicyRow, C, U, A>(
    kind: PolicyDefinition<R, C, U, A>,
    caller: Principal,
    query: ListPoliciesQuery,
    filters: object,
  ): Promise<ListResponse<A>> {
    assertOrganisationFound(caller, query.organisation_id);
    const { search, status = 'active' } = query;
    const [rows, total] = await listRows(this.dataSource.manager, kind, query, {
      where: { ...reach(caller), ...present(filters), status } as unknown as FindOptionsWhere<R>,
      search: { text: search, in: ['name'] },
    });
    return listOf([rows.map((row) => kind.view(row)), total]);
  }

  /** Returns a policy. Throws `not_found` for a policy of another tenant or with another status. */
  find<R extends PolicyRow, C, U, A>(
    kind: PolicyDefinition<R, C, U, A>,
    at: ResourceReference,
    status: Status = 'active',
  ): Promise<R> {
    const where = ofStatus(status) as unknown as NonNullable<Resource<R>['where']>;
    return findRow(this.dataSource.manager, { ...kind, where }, at);
  }

  update<R extends PolicyRow, C, U, A>(
    kind: PolicyDefinition<R, C, U, A>,
    at: ResourceReference,
    input: U,
  ): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      patchRow(write, kind, at, (row) => kind.change(row, input, write.manager)),
    );
  }

  remove<R extends PolicyRow, C, U, A>(
    kind: PolicyDefinition<R, C, U, A>,
    at: ResourceReference,
  ): Promise<object> {
    return this.writes.run(at.caller, (write) => archiveRow(write, kind, at));
  }
}

/** Throws `not_found` for an organisation that is not the caller's. */
function assertOrganisationFound({ organisationId }: Principal, reference: string | undefined): void {
  found(reference === undefined || reference.toLowerCase() === organisationId ? organisationId : null);
}

/**
 * Returns the workspace of a new policy. Throws `conflict` when it has the maximum number of
 * policies.
 */
async function roomFor<R extends PolicyRow>(
  manager: EntityManager,
  { entity }: Resource<R>,
  caller: Principal,
): Promise<Required<TenantWhere>> {
  const owner = inWorkspace(caller);
  // The lock on the workspace's row serialises concurrent creations.
  const where = { id: owner.workspaceId, organisationId: owner.organisationId, status: 'active' } as const;
  found(await manager.findOne(WorkspaceEntity, { where, lock: FOR_CHANGE }));
  const active = { ...owner, status: 'active' } as unknown as FindOptionsWhere<R>;
  if ((await manager.countBy(entity, active)) >= POLICIES_MAX) {
    throw new GatewayError('conflict', {
      message: `The workspace already has the maximum of ${String(POLICIES_MAX)} active policies of this kind; delete one first.`,
    });
  }
  return owner;
}
