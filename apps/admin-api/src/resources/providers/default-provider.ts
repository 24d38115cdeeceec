import { ProviderEntity, type IntegrationEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { invalid } from '@gw/web';
import type { EntityManager } from 'typeorm';
import type { Write } from '../../platform/unit-of-work/writes';
import { autoSlug } from '../../platform/common/slugs';
import { LIVE_PROVIDER, providerKey } from '../../platform/rows/integrations.queries';
import { toProvider } from './providers.view';

const NOTE = 'Created automatically on integration access grant';
export const isSlugTaken = (manager: EntityManager, workspaceId: string, slug: string): Promise<boolean> =>
  manager.existsBy(ProviderEntity, { workspaceId, slug, status: LIVE_PROVIDER });

/**
 * The provider that a workspace gets with its access to an integration, unless it already has one. `slug` absent: the
 * integration's, with a random part when that is taken. Throws `validation_failed` for `path` when the given slug is taken.
 */
export async function createDefaultProvider(
  write: Write,
  integration: IntegrationEntity,
  workspaceId: string,
  wanted: { readonly slug: string | undefined; readonly path: string },
): Promise<void> {
  const { manager } = write;
  const { id: integrationId, organisationId, name } = integration;
  const live = { workspaceId, integrationId, status: LIVE_PROVIDER };
  if (await manager.existsBy(ProviderEntity, live)) return;
  let slug = wanted.slug ?? integration.slug;
  if (await isSlugTaken(manager, workspaceId, slug)) {
    if (wanted.slug !== undefined) throw invalid(wanted.path, 'is already used in the workspace');
    slug = autoSlug(integration.slug);
  }
  const id = uuidv7();
  const row = await manager.save(
    manager.create(ProviderEntity, {
      id,
      organisationId,
      workspaceId,
      integrationId,
      slug,
      name,
      note: NOTE,
      status: 'active',
      isVirtualKey: false,
      usageLimits: null,
      rateLimits: null,
      expiresAt: null,
      tags: null,
      lastResetAt: null,
    }),
  );
  write.audit({
    action: 'create',
    resourceType: 'providers',
    resourceId: id,
    workspaceId,
    after: toProvider(row, integration.slug),
  });
  write.changed(providerKey(row));
}
