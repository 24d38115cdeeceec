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

/** The rules of user keys in the workspace; null for keys of any other type, which none of them concerns. */
export async function rulesFor(
  manager: EntityManager,
  key: Pick<ApiKeyEntity, 'organisationId' | 'workspaceId' | 'userId'>,
): Promise<UserKeyRules | null> {
  if (key.userId === null || key.workspaceId === null) return null;
  const organisation = await manager.findOneByOrFail(OrganisationEntity, { id: key.organisationId });
  const workspace = await manager.findOneByOrFail(WorkspaceEntity, { id: key.workspaceId });
  return userKeyRules(organisation, workspace);
}

/** Throws `validation_failed` when the user has all the keys they may have. Two at once wait for one another. */
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
    throw invalid('user_id', `a user may have ${String(count)} keys in this workspace`);
  }
}

/** The end of a new key: as requested, else as the rules say. Throws `validation_failed` beyond the longest life. */
export function expiryOf(
  requested: string | null | undefined,
  rules: UserKeyRules | null,
  now = Date.now(),
): Date | null {
  if (requested === undefined && rules) {
    const seconds = shortest(rules.ttl, rules.maxTtl);
    return seconds === 0 ? null : new Date(now + seconds * 1_000);
  }
  return assertLife(toExpiry(requested), rules, now);
}

export function assertLife(
  expiresAt: Date | null,
  rules: UserKeyRules | null,
  now = Date.now(),
): Date | null {
  const maxTtl = rules?.maxTtl ?? 0;
  if (maxTtl > 0 && (expiresAt === null || expiresAt.getTime() > now + maxTtl * 1_000)) {
    throw invalid('expires_at', `a user key lives ${String(maxTtl)} seconds at most here`);
  }
  return expiresAt;
}

/** 0: no bound. */
const shortest = (...seconds: number[]): number => {
  const bounds = seconds.filter((bound) => bound > 0);
  return bounds.length === 0 ? 0 : Math.min(...bounds);
};

/** The policy of a new key. With an enforced cadence a user key has exactly that one, named or not. */
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
 * The policy after a change, or undefined when it stays as it is. With an enforced cadence the transition alone can be changed:
 * the next rotation stays when it was, since moving it would undo the cadence.
 */
export function changedRotation(
  row: Pick<ApiKeyEntity, 'rotationPolicy'>,
  requested: UpdateApiKeyDto['rotation_policy'],
  rules: UserKeyRules | null,
): StoredRotationPolicy | null | undefined {
  if (requested === undefined) return undefined;
  const days = rules?.rotationDays ?? 0;
  if (days === 0) return requested && toRotationPolicy(requested);
  if (requested === null) throw invalid('rotation_policy', 'the organisation enforces a rotation here');
  const policy = rotationOf(requested, rules);
  const { rotationPolicy: before } = row;
  const isSame = before?.rotation_period_days === days;
  return policy && isSame ? { ...policy, next_rotation_at: before.next_rotation_at } : policy;
}

function assertCadence(requested: CreateApiKeyDto['rotation_policy'], days: number): void {
  if (!requested) return;
  if (requested.next_rotation_at !== undefined && requested.next_rotation_at !== null) {
    throw invalid('rotation_policy.next_rotation_at', 'cannot be set while a rotation is enforced');
  }
  const named = daysOf(requested);
  if (named !== null && named !== days) {
    throw invalid('rotation_policy', `the enforced rotation is every ${String(days)} days`);
  }
  if (requested.rotation_period && requested.rotation_period_days) {
    throw invalid('rotation_policy', 'rotation_period and rotation_period_days exclude each other');
  }
}

function daysOf({ rotation_period: period, rotation_period_days: days }: RotationPolicyDto): number | null {
  if (period) return period === 'weekly' ? WEEK : MONTH;
  return days ?? null;
}
