import type { UsageLimitRule } from '@gw/contracts';
import { appendAudit, queueMail } from '@gw/entities';
import { budgetsJob } from '@gw/jobs';
import { type Keyring, storableText, UNITS_PER_USD } from '@gw/kernel';
import { alertRecipients, raiseAlert, type LimitAlert } from '@gw/ledger-store';
import { nextBoundary, periodAt, type Bucket } from '@gw/limits';
import type { EntityManager } from 'typeorm';
import { jobAudit } from '../jobs/job-audit';
import type { BudgetOwner } from '../ledger/budget-owners';

/** A budget and its usage in the current period. */
export interface MeasuredBudget {
  readonly owner: BudgetOwner;
  readonly rule: UsageLimitRule;
  readonly bucket: Bucket;
  /** Value of the policy that the budget counts; null if the budget does not belong to a policy. */
  readonly valueKey: string | null;
  /** Usage in the unit of the bucket. */
  readonly used: number;
}

/** Creates one alert for each budget amount and period that reached its threshold or its limit. */
export class LimitAlerts {
  constructor(
    /** Sender of mails; null when mail is off. */
    private readonly mailKeyring: Keyring | null,
    private readonly auditEnabled: boolean,
  ) {}

  /** Creates alerts in the transaction that read the usage, so that both commit together. */
  async note(manager: EntityManager, budget: MeasuredBudget, nowMs: number): Promise<void> {
    const { bucket, used } = budget;
    if (bucket.alertAt !== null && used >= bucket.alertAt) {
      await this.raise(manager, budget, 'threshold', bucket.alertAt, nowMs);
    }
    if (used >= bucket.value) await this.raise(manager, budget, 'exhausted', bucket.value, nowMs);
  }

  private async raise(
    manager: EntityManager,
    budget: MeasuredBudget,
    kind: LimitAlert['kind'],
    amount: number,
    nowMs: number,
  ): Promise<void> {
    const { owner, bucket } = budget;
    const { organisationId, workspaceId } = owner;
    const period = periodAt(bucket, nowMs);
    const event = eventOf(budget, kind, period, nowMs);
    const counter = storableText(bucket.key);
    const alert = { organisationId, workspaceId, counter, period, kind, amount, event };
    const id = await raiseAlert(manager, alert);
    if (id === null) return;
    if (this.mailKeyring) await this.mail(manager, this.mailKeyring, budget, kind, id);
    if (!this.auditEnabled) return;
    const subject = { organisationId, workspaceId, resourceType: owner.resourceType, resourceId: owner.id };
    await appendAudit(manager, [
      jobAudit(budgetsJob, { ...subject, action: 'alert', before: null, after: { id, ...event } }),
    ]);
  }

  private async mail(
    manager: EntityManager,
    keyring: Keyring,
    { owner, bucket, valueKey, used }: MeasuredBudget,
    kind: LimitAlert['kind'],
    id: string,
  ): Promise<void> {
    const { organisationId, workspaceId } = owner;
    const apiKeyId = owner.scope === 'api_key' ? owner.id : null;
    const to = await alertRecipients(manager, { organisationId, workspaceId, apiKeyId });
    const what = `The budget of the ${owner.scope.replace('_', ' ')} “${owner.name}”`;
    const has = kind === 'exhausted' ? 'is used up' : 'has reached its alert threshold';
    await queueMail(manager, keyring, {
      ...{ organisationId, topic: `limit-alert/${id}`, to },
      message: {
        // A name may have 255 characters, and a subject 200.
        subject: kind === 'exhausted' ? 'A budget is used up' : 'A budget has reached its alert threshold',
        paragraphs: [
          `${what} ${has}: ${amountText(bucket, used)} of ${amountText(bucket, bucket.value)} are used.`,
          ...(valueKey === null ? [] : [`This is counted for ${valueKey}.`]),
          ...(kind === 'exhausted' ? ['Requests are refused until it starts again or is raised.'] : []),
        ],
        action: null,
      },
    });
  }
}

const amountText = (bucket: Bucket, amount: number): string =>
  bucket.measure === 'cost'
    ? `${String(publicAmount(bucket, amount))} USD`
    : `${String(amount)} ${bucket.measure}`;

const publicAmount = ({ measure }: Bucket, amount: number): number =>
  measure === 'cost' ? amount / UNITS_PER_USD : amount;

function eventOf(
  { owner, rule, bucket, valueKey, used }: MeasuredBudget,
  kind: LimitAlert['kind'],
  period: number,
  nowMs: number,
): object {
  const { scope, id, name, organisationId, workspaceId } = owner;
  const resetsAt = bucket.window.kind === 'period' ? nextBoundary(bucket.window.schedule, nowMs) : null;
  return {
    type: kind === 'threshold' ? 'limit.threshold_reached' : 'limit.exhausted',
    created_at: new Date(nowMs).toISOString(),
    data: {
      ...{ scope, id, name, organisation_id: organisationId, workspace_id: workspaceId },
      ...(valueKey === null ? {} : { value_key: valueKey }),
      type: rule.type,
      credit_limit: rule.creditLimit,
      alert_threshold: rule.alertThreshold,
      current_usage: publicAmount(bucket, used),
      period_started_at: period === 0 ? null : new Date(period).toISOString(),
      resets_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
    },
  };
}
