import type { UsageLimitRule } from '@gw/contracts';
import { recordChange, UsageLimitPolicyValueEntity } from '@gw/entities';
import { storableText, UUID, uuidv7 } from '@gw/kernel';
import { clearBudgetMark, markedBudgets, type BudgetMark } from '@gw/ledger-store';
import { budgetBucket, parseBudgetKey, periodAt, withReset, type BudgetKey } from '@gw/limits';
import type { DataSource, EntityManager } from 'typeorm';
import type { LimitAlerts } from '../alerts/limit-alerts';
import { lockOwner, type BudgetOwner } from './budget-owners';
import type { LedgerBook, TouchedBudget } from './ledger-book';

/** Maximum number of budgets that wait for a check; the job finds the rest. */
const DIRTY_MAX = 10_000;
const DELAY_MS = 500;
/**
 * Maximum number of marked budgets that one run of the job checks; the rest is left for the next
 * run.
 */
const MARKS_MAX = 10_000;

/**
 * Keeps the budget status of the control plane in line with the balances, and creates alerts. Safe
 * to run twice and on many machines.
 */
export class BudgetStates {
  private readonly dirty = new Map<string, TouchedBudget>();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly source: DataSource,
    private readonly book: LedgerBook,
    private readonly alerts: LimitAlerts,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Schedules a check of budgets; returns at once. */
  touched(budgets: readonly TouchedBudget[]): void {
    for (const budget of budgets) {
      if (this.dirty.size < DIRTY_MAX) this.dirty.set(`${budget.organisationId} ${budget.key}`, budget);
    }
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.running = this.running.then(() => this.flush());
    }, DELAY_MS).unref();
  }

  async stop(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    await this.running;
  }

  /** Checks the waiting budgets. Never rejects. */
  async flush(): Promise<void> {
    const budgets = [...this.dirty.values()];
    this.dirty.clear();
    await this.check(budgets.map(({ organisationId, key }) => ({ organisationId, counter: key })));
  }

  /**
   * Checks budgets that were charged but not checked, because a worker died or had too many
   * waiting.
   */
  async catchUp(): Promise<void> {
    await this.check(await markedBudgets(this.source.manager, MARKS_MAX));
  }

  private async check(marks: readonly BudgetMark[]): Promise<void> {
    for (const mark of marks) await this.lookAt(mark).catch(this.report);
  }

  private async lookAt(mark: BudgetMark): Promise<void> {
    const parsed = parseBudgetKey(mark.counter);
    if (parsed === null || !UUID.test(parsed.id)) await clearBudgetMark(this.source.manager, mark);
    else await this.refresh(parsed, mark);
  }

  /** Checks one owner, or one value of a policy. */
  async refresh({ scope, id, group }: Omit<BudgetKey, 'type'>, mark?: BudgetMark): Promise<void> {
    await this.source.transaction(async (manager) => {
      const owner = await lockOwner(manager, scope, id, group);
      if (mark) await clearBudgetMark(manager, mark);
      if (owner === null) return;
      if (scope === 'policy') await this.refreshValue(manager, owner, group ?? 'default');
      else await this.refreshOwner(manager, owner);
    });
  }

  private async refreshOwner(manager: EntityManager, owner: BudgetOwner): Promise<void> {
    const statuses: ('active' | 'exhausted')[] = [];
    for (const rule of owner.rules) statuses.push(await this.statusOf(manager, owner, rule, null));
    if (owner.limits.every(({ status }, at) => status === statuses[at])) return;
    await owner.save(owner.limits.map((limit, at) => ({ ...limit, status: statuses[at] ?? limit.status })));
    await recordChange(manager, { changed: await owner.documents() });
  }

  private async refreshValue(manager: EntityManager, owner: BudgetOwner, valueKey: string): Promise<void> {
    const [rule] = owner.rules;
    if (!rule) return;
    const where = { policyId: owner.id, valueKey: storableText(valueKey) };
    const stored = await manager.findOneBy(UsageLimitPolicyValueEntity, where);
    const inForce = withReset(rule, stored?.lastResetAt?.toISOString());
    const status = await this.statusOf(manager, owner, inForce, valueKey);
    if (stored?.status === status) return;
    if (stored) await manager.update(UsageLimitPolicyValueEntity, where, { status });
    else await manager.insert(UsageLimitPolicyValueEntity, { id: uuidv7(), ...where, status });
  }

  /** Updates the status and creates alerts for reached thresholds. */
  private async statusOf(
    manager: EntityManager,
    owner: BudgetOwner,
    rule: UsageLimitRule,
    valueKey: string | null,
  ): Promise<'active' | 'exhausted'> {
    const { organisationId: tenant, scope, id } = owner;
    const part = valueKey ?? owner.group;
    const bucket = budgetBucket({ tenant, scope, id, ...(part === undefined ? {} : { group: part }) }, rule);
    const nowMs = Date.now();
    const counters = [{ key: bucket.key, since: periodAt(bucket, nowMs) }];
    const [balance] = await this.book.balances({ organisationId: tenant, counters }, manager);
    const used = balance?.used ?? 0;
    await this.alerts.note(manager, { owner, rule, bucket, valueKey, used }, nowMs);
    return used >= bucket.value ? 'exhausted' : 'active';
  }
}
