import type { UsageLimitRule } from '@gw/contracts';
import { recordChange, UsageLimitPolicyValueEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { budgetBucket, parseBudgetKey, periodAt, withReset, type BudgetKey } from '@gw/limits';
import { UUID } from '@gw/web';
import type { DataSource, EntityManager } from 'typeorm';
import { lockOwner, type BudgetOwner } from './budget-owners';
import type { LedgerBook, TouchedBudget } from './ledger-book';

/** Budgets that wait to be looked at; those past it are found by the job. */
const DIRTY_MAX = 10_000;
const DELAY_MS = 500;

/** Keeps the status that the control plane shows of budgets in line with their balances. Safe to run twice and on many machines. */
export class BudgetStates {
  private readonly dirty = new Map<string, TouchedBudget>();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly source: DataSource,
    private readonly book: LedgerBook,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Looks at budgets soon; returns at once. */
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

  /** Looks at what has waited. Never rejects. */
  async flush(): Promise<void> {
    const budgets = [...this.dirty.values()];
    this.dirty.clear();
    for (const { key } of budgets) {
      const parsed = parseBudgetKey(key);
      if (parsed === null || !UUID.test(parsed.id)) continue;
      await this.refresh(parsed).catch(this.report);
    }
  }

  /** Of one owner, or of one value of a policy. */
  async refresh({ scope, id, group }: Omit<BudgetKey, 'type'>): Promise<void> {
    await this.source.transaction(async (manager) => {
      const owner = await lockOwner(manager, scope, id, group);
      if (owner === null) return;
      if (scope === 'policy') await this.refreshValue(manager, owner, group ?? 'default');
      else await this.refreshOwner(manager, owner);
    });
  }

  private async refreshOwner(manager: EntityManager, owner: BudgetOwner): Promise<void> {
    const statuses: ('active' | 'exhausted')[] = [];
    for (const rule of owner.rules) statuses.push(await this.statusOf(owner, rule));
    if (owner.limits.every(({ status }, at) => status === statuses[at])) return;
    await owner.save(owner.limits.map((limit, at) => ({ ...limit, status: statuses[at] ?? limit.status })));
    await recordChange(manager, { changed: await owner.documents() });
  }

  private async refreshValue(manager: EntityManager, owner: BudgetOwner, valueKey: string): Promise<void> {
    const [rule] = owner.rules;
    if (!rule) return;
    const where = { policyId: owner.id, valueKey: valueKey.replaceAll('\0', '\uFFFD') };
    const known = await manager.findOneBy(UsageLimitPolicyValueEntity, where);
    const status = await this.statusOf(owner, withReset(rule, known?.lastResetAt?.toISOString()), valueKey);
    if (known?.status === status) return;
    if (known) await manager.update(UsageLimitPolicyValueEntity, where, { status });
    else await manager.insert(UsageLimitPolicyValueEntity, { id: uuidv7(), ...where, status });
  }

  private async statusOf(
    { organisationId: tenant, scope, id, group }: BudgetOwner,
    rule: UsageLimitRule,
    value?: string,
  ): Promise<'active' | 'exhausted'> {
    const part = value ?? group;
    const bucket = budgetBucket({ tenant, scope, id, ...(part === undefined ? {} : { group: part }) }, rule);
    const counters = [{ key: bucket.key, since: periodAt(bucket, Date.now()) }];
    const [balance] = await this.book.balances({ organisationId: tenant, counters });
    return (balance?.used ?? 0) >= bucket.value ? 'exhausted' : 'active';
  }
}
