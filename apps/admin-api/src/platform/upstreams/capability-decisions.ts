import type { UpstreamCapability, UpstreamIntegration } from '@gw/entities';
import { GatewayError, type ErrorDetail } from '@gw/kernel';
import { capabilityDigest, type CapabilityType } from '@gw/mcp';
import { validationFailed } from '@gw/web';
import { In, IsNull, Not, type EntityManager, type FindOptionsOrder, type FindOptionsWhere } from 'typeorm';
import type { Principal } from '../common/principal';
import { audit, publish, type Resource } from '../resource/rows';
import { actorOf } from '../resource/versioned';
import type { Write } from '../unit-of-work/writes';
import { capabilityKey, nameDigestOf } from './capability-changes';

export type Decision = 'approve' | 'reject';

/** Describes a kind of upstream for the decisions of administrators. */
export interface CapabilityKind<I extends UpstreamIntegration, R extends UpstreamCapability> {
  readonly integration: Resource<I>;
  readonly entity: new () => R;
  /** Request member with the list of capabilities; also its name in the audit log. */
  readonly member: 'capabilities' | 'skills';
  /**
   * Returns the fault of an item whose capability the upstream does not list, with the path of the
   * item's name.
   */
  readonly unknown: (index: number, type: string) => ErrorDetail;
  /** Serves the newest facts of the upstream itself once they have been approved. */
  readonly serveSelf: (manager: EntityManager, integration: I) => Promise<void>;
  /** Stops serving the facts of the upstream itself once the approved ones have been rejected. */
  readonly withdrawSelf: (manager: EntityManager, integration: I) => Promise<void>;
  /** Type of the capability that stands for the upstream itself. */
  readonly selfType: 'server' | 'agent';
}

interface Named {
  readonly type: string;
  readonly name: string;
}

export interface CapabilitySwitch extends Named {
  readonly enabled: boolean;
}

export interface DecisionItem extends Named {
  readonly digest: string;
}

/**
 * Returns a page of the capabilities whose newest definition is not approved, and the number of all
 * of them.
 */
export const waitingCapabilities = <R extends UpstreamCapability>(
  manager: EntityManager,
  entity: new () => R,
  { id: integrationId }: Pick<UpstreamIntegration, 'id'>,
  { page, page_size: size }: { readonly page: number; readonly page_size: number },
): Promise<[R[], number]> => {
  const where: FindOptionsWhere<UpstreamCapability> = {
    integrationId,
    goneAt: IsNull(),
    state: Not('approved'),
  };
  const order: FindOptionsOrder<UpstreamCapability> = { type: 'DESC', position: 'ASC' };
  return manager.findAndCount(entity, {
    where: where as FindOptionsWhere<R>,
    order: order as FindOptionsOrder<R>,
    ...{ skip: (page - 1) * size, take: size },
  });
};

/** Enables or disables capabilities of a locked integration for all workspaces. */
export async function switchCapabilities<I extends UpstreamIntegration, R extends UpstreamCapability>(
  write: Write<Principal>,
  kind: CapabilityKind<I, R>,
  integration: I,
  switches: readonly CapabilitySwitch[],
): Promise<void> {
  const { manager } = write;
  const rowsByKey = await listedRows(manager, kind.entity, integration, switches);
  const faults: ErrorDetail[] = [];
  for (const [index, { type, name, enabled }] of switches.entries()) {
    const row = rowsByKey.get(capabilityKey(type, nameDigestOf(name)));
    if (row) row.enabled = enabled;
    else faults.push(kind.unknown(index, type));
  }
  if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
  await manager.save(kind.entity, [...rowsByKey.values()], { chunk: 500 });
  const after = switches.slice(0, 100).map(({ type, name, enabled }) => ({ type, name, enabled }));
  audit(write, kind.integration, `update_${kind.member}`, integration, { after: { [kind.member]: after } });
  await publish(write, kind.integration, integration);
}

/**
 * Approves or rejects definitions of a locked integration by their digests. A definition that has
 * changed since the administrator saw it stays as it is and is returned as stale. Throws `conflict`
 * when all are stale.
 */
export async function decideCapabilities<I extends UpstreamIntegration, R extends UpstreamCapability>(
  write: Write<Principal>,
  kind: CapabilityKind<I, R>,
  integration: I,
  decision: Decision,
  { items, reason }: { readonly items: readonly DecisionItem[]; readonly reason?: string | null | undefined },
): Promise<{ readonly decided: number; readonly stale: readonly DecisionItem[] }> {
  const { manager } = write;
  const rowsByKey = await listedRows(manager, kind.entity, integration, items);
  const newest = ({ type, name, digest }: DecisionItem): R | null => {
    const row = rowsByKey.get(capabilityKey(type, nameDigestOf(name)));
    return row?.digest === digest ? row : null;
  };
  const stale = items.filter((item) => newest(item) === null);
  if (stale.length === items.length)
    throw new GatewayError('conflict', {
      message: `All definitions have changed since they were shown; read ${kind.member}/changes again before you decide.`,
    });
  const rows = [...new Set(items.map(newest).filter((row) => row !== null))];
  for (const row of rows) decide(row, decision, write.caller);
  await manager.save(kind.entity, rows, { chunk: 500 });
  const self = rows.find(({ type }) => type === kind.selfType);
  // Callers see the facts of the upstream that were approved last.
  if (self?.state === 'approved') await kind.serveSelf(manager, integration);
  else if (self?.approved === null) await kind.withdrawSelf(manager, integration);
  const after = rows.slice(0, 100).map(({ type, name, digest }) => ({ type, name, digest }));
  audit(write, kind.integration, `${decision}_${kind.member}`, integration, {
    after: { [kind.member]: after, total: rows.length, reason: reason ?? null },
  });
  await publish(write, kind.integration, integration);
  return { decided: rows.length, stale: stale.map(({ type, name, digest }) => ({ type, name, digest })) };
}

/**
 * Applies a decision to a row. A rejected definition is no longer the approved one; an earlier
 * approved definition stays.
 */
function decide(row: UpstreamCapability, decision: Decision, caller: Principal): void {
  row.state = decision === 'approve' ? 'approved' : 'rejected';
  if (decision === 'approve') row.approved = row.definition;
  else if (isNewestApproved(row)) row.approved = null;
  row.decidedBy = actorOf(caller);
  row.decidedAt = new Date();
}

const isNewestApproved = ({ type, approved, digest }: UpstreamCapability): boolean =>
  approved !== null && capabilityDigest(type as CapabilityType, approved) === digest;

/** Returns the rows of the named capabilities that the upstream lists, by `capabilityKey`. */
async function listedRows<R extends UpstreamCapability>(
  manager: EntityManager,
  entity: new () => R,
  { id: integrationId }: Pick<UpstreamIntegration, 'id'>,
  items: readonly Named[],
): Promise<ReadonlyMap<string, R>> {
  const wanted = new Set(items.map(({ type, name }) => capabilityKey(type, nameDigestOf(name))));
  const nameDigest = In(items.map(({ name }) => nameDigestOf(name)));
  const where: FindOptionsWhere<UpstreamCapability> = { integrationId, nameDigest, goneAt: IsNull() };
  const rows = await manager.findBy(entity, where as FindOptionsWhere<R>);
  return new Map(
    rows
      .map((row) => [capabilityKey(row.type, row.nameDigest), row] as const)
      .filter(([key]) => wanted.has(key)),
  );
}
