import {
  ApiKeyEntity,
  ApiKeySecretEntity,
  appendAudit,
  makeSecret,
  recordChange,
  replaceSecret,
  sealSecret,
  type AuditRow,
  type Replacement,
  type SecretMaker,
  type StoredRotationPolicy,
} from '@gw/entities';
import { rotationJob, type JobProcessor } from '@gw/jobs';
import { type Keyring, DAY_MS } from '@gw/kernel';
import { nextBoundary } from '@gw/limits';
import { In, type DataSource, type EntityManager } from 'typeorm';
import { auditsByOrganisation, jobAudit } from '../job-audit';
import type { RotationMails } from './rotation-mails';

/** Maximum number of keys in one transaction. */
const BATCH = 100;
/** Maximum number of batches of one phase in one run; the rest is left for the next run. */
const BATCHES_MAX = 500;

export interface RotationTools {
  readonly maker: SecretMaker;
  /** The new secret stays sealed until a caller who may rotate the key fetches it. */
  readonly keyring: Keyring;
  /** Writes mails; null when mail is off. */
  readonly mails: RotationMails | null;
  readonly auditEnabled: boolean;
}

interface Rotated extends Replacement {
  readonly audit: AuditRow;
}

/**
 * Rotates API keys by their policies. Safe to run twice and on many machines: a key is locked while
 * it is rotated, locked keys are skipped, and the next rotation is set together with the new
 * secret. A key whose old secret is still valid waits, because at most two secrets are valid.
 */
export class RotationProcessor implements JobProcessor {
  readonly spec = rotationJob;

  constructor(
    private readonly source: DataSource,
    /** Key ring; null without a master key, when no secrets can be created. */
    private readonly tools: RotationTools | null,
    private readonly clock: () => number = Date.now,
  ) {}

  async process(): Promise<void> {
    const { tools } = this;
    if (!tools) return;
    await this.untilNone((manager, now) => rotateDue(manager, tools, now));
    const { mails } = tools;
    if (!mails) return;
    await this.untilNone((manager, now) => warnOfEnds(manager, mails, now));
    await this.untilNone((manager, now) => warnOfRotations(manager, mails, now));
  }

  private async untilNone(batch: (manager: EntityManager, now: Date) => Promise<number>): Promise<void> {
    for (let count = 0; count < BATCHES_MAX; count += 1) {
      const done = await this.source.transaction((manager) => batch(manager, new Date(this.clock())));
      if (done < BATCH) return;
    }
  }
}

const LIVE = `status IN ('active', 'exhausted') AND rotation_policy IS NOT NULL AND (expires_at IS NULL OR expires_at > $1)`;

async function rotateDue(manager: EntityManager, tools: RotationTools, now: Date): Promise<number> {
  const keys = await lockedKeys(
    manager,
    `SELECT id FROM api_keys k WHERE ${LIVE} AND rotation_policy ->> 'next_rotation_at' <= $2
       AND NOT EXISTS (SELECT 1 FROM api_key_secrets s
                       WHERE s.api_key_id = k.id AND s.state = 'transition' AND s.expires_at > $1)
     ORDER BY rotation_policy ->> 'next_rotation_at' LIMIT ${String(BATCH)} FOR UPDATE OF k SKIP LOCKED`,
    [now, now.toISOString()],
  );
  const done: Rotated[] = [];
  for (const key of keys) done.push(await rotate(manager, tools, key, now));
  if (done.length === 0) return 0;
  if (tools.auditEnabled) {
    for (const rows of auditsByOrganisation(done.map(({ audit }) => audit))) await appendAudit(manager, rows);
  }
  await recordChange(manager, {
    changed: done.flatMap(({ changed }) => changed),
    removed: done.flatMap(({ removed }) => removed),
  });
  return keys.length;
}

async function rotate(
  manager: EntityManager,
  { maker, keyring, mails }: RotationTools,
  key: ApiKeyEntity,
  now: Date,
): Promise<Rotated> {
  const { id, organisationId, workspaceId } = key;
  const policy = key.rotationPolicy as StoredRotationPolicy;
  const until = new Date(now.getTime() + policy.key_transition_period_ms);
  const fresh = makeSecret(maker);
  const replacement = await replaceSecret(manager, id, fresh, {
    until,
    sealed: sealSecret(keyring, id, fresh),
  });
  const next = nextRotation(policy, now);
  await manager.update(
    ApiKeyEntity,
    { id },
    { rotationPolicy: { ...policy, next_rotation_at: next }, lastRotatedAt: now },
  );
  await mails?.rotated(manager, key, until);
  const audit = jobAudit(rotationJob, {
    ...{ organisationId, workspaceId, action: 'rotate', resourceType: 'api_keys', resourceId: id },
    before: null,
    after: {
      api_key_id: id,
      rotation_mode: 'auto',
      masked_old: replacement.oldMasked,
      transition_expires_at: until.toISOString(),
      next_rotation_at: next,
    },
  });
  return { ...replacement, audit };
}

/**
 * Returns the first rotation in the future; missed ones are performed once. Null after a one-time
 * rotation.
 */
function nextRotation(policy: StoredRotationPolicy, now: Date): string | null {
  const every = policy.rotation_period ?? policy.rotation_period_days;
  // A custom date applies to the first rotation only: afterwards weeks go from Monday to Monday,
  // months from 1st to 1st.
  const anchorMs = policy.rotation_period === null ? Date.parse(policy.next_rotation_at ?? '') : null;
  const next = every === null ? null : nextBoundary({ every, anchorMs, lastResetMs: null }, now.getTime());
  return next === null ? null : new Date(next).toISOString();
}

/** Warns once per old secret, if its transition is long enough for a day's notice. */
async function warnOfEnds(manager: EntityManager, mails: RotationMails, now: Date): Promise<number> {
  const secrets = await manager.query<{ secret_hash: string; api_key_id: string; expires_at: Date }[]>(
    `SELECT secret_hash, api_key_id, expires_at FROM api_key_secrets
     WHERE state = 'transition' AND warned_at IS NULL AND expires_at > $1 AND expires_at <= $2
     ORDER BY expires_at LIMIT ${String(BATCH)} FOR UPDATE SKIP LOCKED`,
    [now, new Date(now.getTime() + DAY_MS)],
  );
  const keys = await manager.findBy(ApiKeyEntity, { id: In(secrets.map(({ api_key_id: id }) => id)) });
  for (const { api_key_id: id, expires_at: endsAt } of secrets) {
    const key = keys.find((candidate) => candidate.id === id);
    const rotatedAt = key?.lastRotatedAt?.getTime() ?? 0;
    if (key && endsAt.getTime() - rotatedAt > DAY_MS) await mails.oldEnds(manager, key, endsAt);
  }
  const hashes = secrets.map(({ secret_hash: hash }) => hash);
  if (hashes.length > 0)
    await manager.update(ApiKeySecretEntity, { secretHash: In(hashes) }, { warnedAt: now });
  return secrets.length;
}

async function warnOfRotations(manager: EntityManager, mails: RotationMails, now: Date): Promise<number> {
  const horizon = new Date(now.getTime() + DAY_MS).toISOString();
  const keys = await lockedKeys(
    manager,
    `SELECT id FROM api_keys WHERE ${LIVE} AND rotation_policy ->> 'next_rotation_at' > $2
       AND rotation_policy ->> 'next_rotation_at' <= $3
       AND (rotation_warned_at IS NULL
            OR rotation_warned_at < (rotation_policy ->> 'next_rotation_at')::timestamptz - interval '1 day')
     ORDER BY rotation_policy ->> 'next_rotation_at' LIMIT ${String(BATCH)} FOR UPDATE SKIP LOCKED`,
    [now, now.toISOString(), horizon],
  );
  for (const key of keys) {
    await mails.scheduled(manager, key, key.rotationPolicy?.next_rotation_at ?? horizon);
  }
  const ids = keys.map(({ id }) => id);
  // Raw SQL, because a warning does not change the key and must not change its etag.
  await manager.query('UPDATE api_keys SET rotation_warned_at = $1 WHERE id = ANY($2)', [now, ids]);
  return keys.length;
}

async function lockedKeys(
  manager: EntityManager,
  query: string,
  parameters: readonly unknown[],
): Promise<ApiKeyEntity[]> {
  const rows = await manager.query<{ id: string }[]>(query, [...parameters]);
  return rows.length === 0 ? [] : manager.findBy(ApiKeyEntity, { id: In(rows.map(({ id }) => id)) });
}
