import { IntegrationEntity, ProviderEntity, WorkspaceEntity } from '@gw/entities';
import { uuidv7, type AddressPolicy } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import type { CredentialsService } from '../credentials/credentials.service';
import { IntegrationCredentials } from '../credentials/integration-credentials';
import { LIVE_PROVIDER, providerKey } from '../rows/integrations.queries';
import type { ChangeRecorder } from '../unit-of-work/change-recorder';

export interface EnsuredProvider {
  readonly workspaceId: string;
  /** An id of the provider catalogue. */
  readonly providerId: string;
  /** Of the provider and of its integration, which only this workspace has. */
  readonly slug: string;
  readonly name: string;
  /** Null for a provider that needs none. */
  readonly key: string | null;
}

/** What `ensureProvider` works with; made by hand where there is no injector. */
export interface EnsureTools {
  readonly credentials: CredentialsService;
  readonly addresses: AddressPolicy;
  readonly changes: ChangeRecorder;
}

/**
 * A provider for the first start: makes the integration and the provider unless the workspace has a live provider of this slug,
 * which is left as it is. Safe to run at every start. `manager` must be in a transaction, and nothing may follow in it but
 * other calls of this function. Gives the provider's id.
 */
export async function ensureProvider(
  manager: EntityManager,
  { credentials, addresses, changes }: EnsureTools,
  wanted: EnsuredProvider,
): Promise<string> {
  const { workspaceId, slug, name, providerId, key } = wanted;
  const live = { workspaceId, slug, status: LIVE_PROVIDER };
  const there = await manager.findOneBy(ProviderEntity, live);
  if (there) return there.id;
  const { organisationId } = await manager.findOneByOrFail(WorkspaceEntity, { id: workspaceId });
  const isTaken = await manager.existsBy(IntegrationEntity, { organisationId, slug, status: 'active' });
  const id = uuidv7();
  const integration = manager.create(IntegrationEntity, {
    id,
    organisationId,
    workspaceId,
    aiProviderId: providerId,
    slug: isTaken ? `${slug.slice(0, 240)}-${id.slice(-12)}` : slug,
    name,
    sealedCredential: null,
    configurations: {},
    maskedConfigurations: {},
    secretMappings: null,
  });
  new IntegrationCredentials(credentials, addresses).apply(integration, { key });
  await manager.save(integration);
  const provider = await manager.save(
    manager.create(ProviderEntity, {
      id: uuidv7(),
      organisationId,
      workspaceId,
      integrationId: id,
      slug,
      name,
    }),
  );
  await changes.record(manager, { changed: [providerKey(provider)] });
  return provider.id;
}
