import { UsageLimitPolicyValueEntity, type UsageLimitPolicyEntity } from '@gw/entities';
import { In, IsNull, Not, type EntityManager } from 'typeorm';

/** Maximum resets of all requested policies together, since gateways hold them in memory. The newest are used. */
const RESETS_MAX = 10_000;

/**
 * Returns when single values of policies were reset, by policy id and value key. Resets before the policy's own last
 * reset are left out.
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
