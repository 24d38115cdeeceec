import type { IntegrationLimits } from '@gw/contracts';
import {
  IntegrationWorkspaceEntity,
  rateLimitRules,
  usageLimitRules,
  type IntegrationEntity,
  type ProviderEntity,
} from '@gw/entities';
import { In, type EntityManager } from 'typeorm';

/**
 * Returns the limits of an integration in a provider's workspace: from the workspace's own row,
 * else from the global access; null for none.
 */
export type IntegrationLimitsOf = (
  provider: ProviderEntity,
  integration: IntegrationEntity,
) => IntegrationLimits | null;

export async function integrationLimitsOf(
  manager: EntityManager,
  providers: readonly ProviderEntity[],
): Promise<IntegrationLimitsOf> {
  const rows = await manager.find(IntegrationWorkspaceEntity, {
    where: {
      integrationId: In([...new Set(providers.map(({ integrationId }) => integrationId))]),
      workspaceId: In([...new Set(providers.map(({ workspaceId }) => workspaceId))]),
    },
  });
  const byPair = new Map(rows.map((row) => [`${row.integrationId} ${row.workspaceId}`, row]));
  return ({ workspaceId }, { id, globalWorkspaceAccess }) => {
    const row = byPair.get(`${id} ${workspaceId}`);
    const usage = row ? row.usageLimits : (globalWorkspaceAccess?.usage_limits ?? null);
    const rateLimits = rateLimitRules((row ? row.rateLimits : globalWorkspaceAccess?.rate_limits) ?? null);
    const usageLimits = usageLimitRules(usage, row?.lastResetAt ?? null);
    return rateLimits.length + usageLimits.length === 0 ? null : { rateLimits, usageLimits };
  };
}
