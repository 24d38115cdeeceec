import {
  ApiKeyEntity,
  OrganisationEntity,
  OrganisationUserEntity,
  WorkspaceEntity,
  type StoredRotationPolicy,
} from '@gw/entities';
import { invalid } from '@gw/web';
import { Not, type EntityManager } from 'typeorm';
import { FOR_UPDATE } from '../unit-of-work/writes';
import { userKeyRules, type UserKeyRules } from '../tenant-settings/user-key-settings';
import type { CreateApiKeyDto, RotationPolicyDto, UpdateApiKeyDto } from './api-keys.dto';
import { toExpiry } from './api-key-rules';
import { toRotationPolicy } from './rotation-policy';

/** A user in one workspace. */
export interface UserPlace {
  readonly organisationId: string;
  readonly workspaceId: string;
  readonly userId: string;
}

const WEEK = 7;
const MONTH = 30;

/**
 * Returns the rules for user keys in the workspace; null for other key types, to which they do not
 * apply.
 */
export async function rulesFor(
  manager: EntityManager,
  key: Pick<ApiKeyEntity, 'organisationId' | 'workspaceId' | 'userId'>,
): Promise<UserKeyRules | null> {
  if (key.userId === null || key.workspaceId === null) return null;
  const organisation = await manager.findOneByOrFail(OrganisationEntity, { id: key.organisationId });
  const workspace = await manager.findOneByOrFail(WorkspaceEntity, { id: key.workspaceId });
  return userKeyRules(organisation, workspace);
}

/**
 * Throws `validation_failed` when the user already has the maximum number of keys. A row lock
 * serialises concurrent creations.
 */
export async function assertRoomForKey(
  manager: EntityManager,
  { organisationId, workspaceId, userId }: UserPlace,
  { count }: UserKeyRules,
): Promise<void> {
  if (count === -1) return;
  await manager.findOne(OrganisationUserEntity, { where: { organisationId, userId }, lock: FOR_UPDATE });
  const live = await manager.countBy(ApiKeyEntity, {
    workspaceId,
    userId,
    type: 'workspace-user',
    status: Not('archived' as const),
  });
  if (live >= count) {
    throw invalid(
      'user_id',
      `the user already has the maximum of ${String(count)} keys in this workspace; delete one first`,
    );
  }
}

/**
 * Returns the expiry of a new key: the requested one, else the one that the rules define; null for
 * none. Throws `validation_failed` beyond the maximum lifetime.
 */
export function expiryOf(
  requested: string | null | undefined,
  rules: UserKeyRules | null,
  now = Date.now(),
): Date | null {
  if (requested === undefined && rules) {
    const seconds = shortest(rules.ttl, rules.maxTtl);
    return seconds === 0 ? null : new Date(now + seconds * 1_000);
  }
  return assertLifetime(toExpiry(requested), rules, now);
}

export function assertLifetime(
  expiresAt: Date | null,
  rules: UserKeyRules | null,
  now = Date.now(),
): Date | null {
  const maxTtl = rules?.maxTtl ?? 0;
  if (maxTtl > 0 && (expiresAt === null || expiresAt.getTime() > now + maxTtl * 1_000)) {
    throw invalid(
      'expires_at',
      `expires_at must be at most ${String(maxTtl)} seconds from now for a user key`,
    );
  }
  return expiresAt;
}

/** Returns the smallest bound in seconds; 0 means no bound. */
const shortest = (...seconds: number[]): number => {
  const bounds = seconds.filter((bound) => bound > 0);
  return bounds.length === 0 ? 0 : Math.min(...bounds);
};

/**
 * Returns the rotation policy of a new key; null when it has none. If the rules enforce a rotation
 * period, a user key always gets that period. Throws `validation_failed` for another period.
 */
export function rotationOf(
  requested: CreateApiKeyDto['rotation_policy'],
  rules: UserKeyRules | null,
): StoredRotationPolicy | null {
  const days = rules?.rotationDays ?? 0;
  if (days === 0) return requested ? toRotationPolicy(requested) : null;
  assertCadence(requested, days);
  const transition = requested?.key_transition_period_ms;
  return toRotationPolicy({
    rotation_period_days: days,
    ...(transition === undefined ? {} : { key_transition_period_ms: transition }),
  });
}

/**
 * Returns the rotation policy after an update; undefined when it does not change. With an enforced
 * period only the transition can be changed; the next rotation keeps its date, since moving it
 * would bypass the period.
 */
export function changedRotation(
  row: Pick<ApiKeyEntity, 'rotationPolicy'>,
  requested: UpdateApiKeyDto['rotation_policy'],
  rules: UserKeyRules | null,
): StoredRotationPolicy | null | undefined {
  if (requested === undefined) return undefined;
  const days = rules?.rotationDays ?? 0;
  if (days === 0) return requested && toRotationPolicy(requested);
  if (requested === null)
    throw invalid(
      'rotation_policy',
      'the organisation enforces key rotation here, so the policy cannot be removed',
    );
  const policy = rotationOf(requested, rules);
  const { rotationPolicy: before } = row;
  const isSame = before?.rotation_period_days === days;
  return policy && isSame ? { ...policy, next_rotation_at: before.next_rotation_at } : policy;
}

function assertCadence(requested: CreateApiKeyDto['rotation_policy'], days: number): void {
  if (!requested) return;
  if (requested.next_rotation_at !== undefined && requested.next_rotation_at !== null) {
    throw invalid(
      'rotation_policy.next_rotation_at',
      'cannot be set while the organisation enforces a rotation period',
    );
  }
  const named = daysOf(requested);
  if (named !== null && named !== days) {
    throw invalid('rotation_policy', `must match the enforced rotation period of ${String(days)} days`);
  }
  if (requested.rotation_period && requested.rotation_period_days) {
    throw invalid(
      'rotation_policy',
      'rotation_period and rotation_period_days are mutually exclusive; send one of them',
    );
  }
}

function daysOf({ rotation_period: period, rotation_period_days: days }: RotationPolicyDto): number | null {
  if (period) return period === 'weekly' ? WEEK : MONTH;
  return days ?? null;
}
