import type { UsageLimitPolicyEntity } from '@gw/entities';
import type { EntityManager } from 'typeorm';

/**
 * Maximum number of resets of all requested policies together, since gateways hold them in memory.
 * The newest of each workspace come first, so that one workspace does not displace those of another.
 */
const RESETS_MAX = 10_000;

interface ResetRow {
  readonly policyId: string;
  readonly valueKey: string;
  readonly lastResetAt: Date;
}

const RESETS = `
  SELECT policy_id AS "policyId", value_key AS "valueKey", last_reset_at AS "lastResetAt"
  FROM (
    SELECT value.id, value.policy_id, value.value_key, value.last_reset_at, row_number() OVER (
      PARTITION BY policy.workspace_id ORDER BY value.last_reset_at DESC, value.id) AS place
    FROM usage_limit_policy_values value
    JOIN usage_limit_policies policy ON policy.id = value.policy_id
    WHERE value.policy_id = ANY($1) AND value.last_reset_at > coalesce(policy.last_reset_at, '-infinity')
  ) newest
  ORDER BY place, last_reset_at DESC, id
  LIMIT $2`;

/**
 * Returns the times at which single values of policies were reset, by policy id and value key.
 * Leaves out resets before the last reset of the whole policy.
 */
export async function policyResets(
  manager: EntityManager,
  policies: readonly Pick<UsageLimitPolicyEntity, 'id'>[],
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const found = new Map<string, Record<string, string>>();
  if (policies.length === 0) return found;
  const ids = policies.map(({ id }) => id);
  for (const { policyId, valueKey, lastResetAt } of await manager.query<ResetRow[]>(RESETS, [
    ids,
    RESETS_MAX,
  ])) {
    const resets = found.get(policyId) ?? {};
    found.set(policyId, Object.assign(resets, { [valueKey]: lastResetAt.toISOString() }));
  }
  return found;
}
