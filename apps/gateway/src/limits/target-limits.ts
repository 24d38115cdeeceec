import type { ProviderDocument } from '@gw/contracts';
import type { Bucket } from '@gw/limits';
import { bucketsOf } from './caller-limits';

const made = new WeakMap<ProviderDocument, readonly Bucket[]>();

/**
 * Returns the limits of a saved provider: first those of its integration in its workspace, then its
 * own.
 */
export function targetBuckets(saved: ProviderDocument): readonly Bucket[] {
  let buckets = made.get(saved);
  if (buckets === undefined) {
    const { organisationId: tenant, id, integrationId, workspaceId, integrationLimits } = saved;
    const integration = { tenant, scope: 'integration', id: integrationId, group: workspaceId } as const;
    buckets = [
      ...(integrationLimits ? bucketsOf(integration, integrationLimits) : []),
      ...bucketsOf({ tenant, scope: 'provider', id }, saved),
    ];
    made.set(saved, buckets);
  }
  return buckets;
}
