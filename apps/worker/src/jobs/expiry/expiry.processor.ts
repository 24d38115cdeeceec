import { documentKey } from '@gw/contracts';
import {
  ApiKeyEntity,
  ApiKeySecretEntity,
  appendAudit,
  forgetEndedApiKeys,
  recordChange,
  sweepIdempotentRequests,
  UserInviteEntity,
  type AuditRow,
} from '@gw/entities';
import { expiryJob, type JobProcessor } from '@gw/jobs';
import { In, LessThanOrEqual, type DataSource, type EntityManager } from 'typeorm';
import { auditsByOrganisation, jobAudit } from '../job-audit';

/** Maximum number of rows in one transaction. */
const BATCH = 200;
/** Maximum number of batches in one run; the rest is left for the next run. */
const BATCHES_MAX = 500;

/**
 * Marks expired API keys and invites, and deletes old secrets of rotated keys, the remains of ended
 * keys and old idempotent requests. Safe to run twice and on many machines: marked rows are not found again,
 * and rows that another worker locks are skipped.
 */
export class ExpiryProcessor implements JobProcessor {
  readonly spec = expiryJob;

  constructor(
    private readonly source: DataSource,
    private readonly auditEnabled: boolean,
  ) {}

  async process(): Promise<void> {
    await this.untilNone((manager) => this.expireKeys(manager));
    await this.untilNone(endTransitions);
    await this.untilNone((manager) => forgetEndedApiKeys(manager, new Date(), BATCH));
    await this.source.manager.update(
      UserInviteEntity,
      { status: 'pending', expiresAt: LessThanOrEqual(new Date()) },
      { status: 'expired' },
    );
    await this.untilNone(sweepIdempotentRequests);
  }

  private async untilNone(batch: (manager: EntityManager) => Promise<number>): Promise<void> {
    for (let count = 0; count < BATCHES_MAX; count += 1) {
      if ((await this.source.transaction(batch)) < BATCH) return;
    }
  }

  private async expireKeys(manager: EntityManager): Promise<number> {
    const keys = await manager.find(ApiKeyEntity, {
      where: { status: In(['active', 'exhausted']), expiresAt: LessThanOrEqual(new Date()) },
      order: { expiresAt: 'ASC' },
      take: BATCH,
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
    if (keys.length === 0) return 0;
    const ids = keys.map(({ id }) => id);
    await manager.update(ApiKeyEntity, { id: In(ids) }, { status: 'expired' });
    const secrets = await manager.findBy(ApiKeySecretEntity, { apiKeyId: In(ids) });
    if (this.auditEnabled) {
      for (const rows of auditsByOrganisation(keys.map(expired))) await appendAudit(manager, rows);
    }
    await recordChange(manager, { changed: secrets.map(({ secretHash }) => documentKey.apiKey(secretHash)) });
    return keys.length;
  }
}

/** Ends the old secrets of rotated keys after their transition. */
async function endTransitions(manager: EntityManager): Promise<number> {
  const secrets = await manager.find(ApiKeySecretEntity, {
    where: { state: 'transition', expiresAt: LessThanOrEqual(new Date()) },
    order: { expiresAt: 'ASC' },
    take: BATCH,
    lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
  });
  if (secrets.length === 0) return 0;
  await manager.delete(ApiKeySecretEntity, { secretHash: In(secrets.map(({ secretHash }) => secretHash)) });
  await recordChange(manager, { removed: secrets.map(({ secretHash }) => documentKey.apiKey(secretHash)) });
  return secrets.length;
}

const expired = ({ id, organisationId, workspaceId, status, expiresAt }: ApiKeyEntity): AuditRow =>
  jobAudit(expiryJob, {
    ...{ organisationId, workspaceId, action: 'expire', resourceType: 'api_keys', resourceId: id },
    before: { status },
    after: { status: 'expired', expires_at: expiresAt?.toISOString() ?? null },
  });
