import { appendAudit, recordChange, type AuditRow, type StoredUsageLimit } from '@gw/entities';
import { budgetsJob, type JobProcessor } from '@gw/jobs';
import { dropOldBudgetHours, forgetHolders, forgetOnce } from '@gw/ledger-store';
import { boundariesAround, nextBoundary, type ResetSchedule } from '@gw/limits';
import type { DataSource, EntityManager } from 'typeorm';
import { lockOwner, type BudgetOwner } from '../../ledger/budget-owners';
import type { BudgetStates } from '../../ledger/budget-states';
import { jobAudit } from '../job-audit';
import { dueOwners, exhaustedOwners } from './owners-to-check.queries';

/**
 * Records due resets of budgets. Safe to run twice and on many machines: an owner is locked and
 * checked again, and a recorded reset is no longer due. The counter has started its new period
 * itself; the reset is recorded at the boundary, so that both agree on the period.
 */
export class BudgetsProcessor implements JobProcessor {
  readonly spec = budgetsJob;

  constructor(
    private readonly source: DataSource,
    private readonly states: BudgetStates,
    private readonly auditEnabled: boolean,
    private readonly clock: () => number = Date.now,
  ) {}

  async process(): Promise<void> {
    const now = new Date(this.clock());
    await forgetHolders(this.source.manager);
    for (const { scope, id, group } of await dueOwners(this.source.manager, now)) {
      await this.source.transaction(async (manager) => {
        const owner = await lockOwner(manager, scope, id, group);
        if (owner !== null) await this.reset(manager, owner, now.getTime());
      });
      // The new period may be used up already. Nothing is charged any more then, so no mark would
      // cause a check. The statuses of a policy's values are not changed by the reset.
      if (scope !== 'policy') await this.states.refresh({ scope, id, group });
    }
    await this.states.catchUp();
    await dropOldBudgetHours(this.source.manager, now.getTime());
    await forgetOnce(this.source.manager);
    for (const owner of await exhaustedOwners(this.source.manager)) await this.states.refresh(owner);
  }

  private async reset(manager: EntityManager, owner: BudgetOwner, nowMs: number): Promise<void> {
    const boundary = Math.max(...owner.limits.map((limit) => dueBoundary(limit, nowMs)));
    if (boundary === -Infinity) return;
    const after = owner.limits.map((limit) => advanced(limit, nowMs));
    await owner.save(after, new Date(boundary));
    if (this.auditEnabled) await appendAudit(manager, [resetRow(owner, after, new Date(boundary))]);
    await recordChange(manager, { changed: await owner.documents() });
  }
}

function scheduleOf(limit: StoredUsageLimit): ResetSchedule {
  const next = limit.next_usage_reset_at;
  return {
    every: limit.periodic_reset ?? limit.periodic_reset_days,
    anchorMs: next === null ? null : Date.parse(next),
    lastResetMs: null,
  };
}

const isDue = ({ next_usage_reset_at: next }: StoredUsageLimit, nowMs: number): boolean =>
  next !== null && Date.parse(next) <= nowMs;

/** Returns the latest boundary that has passed, or −Infinity if none is due. */
function dueBoundary(limit: StoredUsageLimit, nowMs: number): number {
  if (!isDue(limit, nowMs)) return -Infinity;
  return boundariesAround(scheduleOf(limit), nowMs).findLast((boundary) => boundary <= nowMs) ?? -Infinity;
}

function advanced(limit: StoredUsageLimit, nowMs: number): StoredUsageLimit {
  if (!isDue(limit, nowMs)) return limit;
  const { every } = scheduleOf(limit);
  const next = every === null ? null : nextBoundary(scheduleOf(limit), nowMs);
  return {
    ...limit,
    status: 'active',
    next_usage_reset_at: next === null ? null : new Date(next).toISOString(),
  };
}

const resetRow = (owner: BudgetOwner, after: readonly StoredUsageLimit[], at: Date): AuditRow =>
  jobAudit(budgetsJob, {
    organisationId: owner.organisationId,
    workspaceId: owner.workspaceId,
    action: 'reset_usage',
    resourceType: owner.resourceType,
    resourceId: owner.id,
    before: { usage_limits: owner.limits },
    after: { usage_limits: after, last_reset_at: at.toISOString() },
  });
