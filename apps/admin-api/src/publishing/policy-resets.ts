import { UsageLimitPolicyValueEntity, type UsageLimitPolicyEntity } from '@gw/entities';
import { In, IsNull, Not, type EntityManager } from 'typeorm';

/**
 * Maximum number of resets of all requested policies together, newest first, since gateways hold
 * them in memory.
 */
const RESETS_MAX = 10_000;

/**
 * Returns the times at which single values of policies were reset, by policy id and value key.
 * Leaves out resets before the last reset of the whole policy.
 */
export async function policyResets(
  manager: EntityManager,
  policies: readonly UsageLimitPolicyEntity[],
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const found = new Map<string, Record<string, string>>();
  if (policies.length === 0) return found;
  const resetOf = new Map(policies.map(({ id, lastResetAt }) => [id, lastResetAt?.getTime() ?? -Infinity]));
  const values = await manager.find(UsageLimitPolicyValueEntity, {
    where: { policyId: In([...resetOf.keys()]), lastResetAt: Not(IsNull()) },
    order: { lastResetAt: 'DESC', id: 'ASC' },
    take: RESETS_MAX,
  });
  for (const { policyId, valueKey, lastResetAt } of values) {
    if (lastResetAt === null || lastResetAt.getTime() <= (resetOf.get(policyId) ?? -Infinity)) continue;
    const resets = found.get(policyId) ?? {};
    found.set(policyId, Object.assign(resets, { [valueKey]: lastResetAt.toISOString() }));
  }
  return found;
}
