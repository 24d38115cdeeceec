import { IntegrationEntity, IntegrationModelEntity, ProviderEntity, WorkspaceEntity } from '@gw/entities';
import { uuidv7, type AddressPolicy } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import type { CredentialsService } from '../credentials/credentials.service';
import { IntegrationCredentials } from '../credentials/integration-credentials';
import { LIVE_PROVIDER, providerKey } from '../rows/integrations.queries';
import type { ChangeRecorder } from '../unit-of-work/change-recorder';

export interface WantedProvider {
  readonly workspaceId: string;
  /** Id of a provider in the catalogue. */
  readonly providerId: string;
  /** Slug of the provider and of its integration, which belongs only to this workspace. */
  readonly slug: string;
  readonly name: string;
  /** API key of the provider; null if it needs none. */
  readonly key: string | null;
  /**
   * Prices of the provider's models, each as the `pricing_config` of an integration's model; absent
   * for none.
   */
  readonly prices?: readonly {
    readonly model: string;
    readonly pricingConfig: Readonly<Record<string, unknown>>;
  }[];
}

/**
 * Dependencies of `createProviderIfMissing`; the set-up creates them without dependency injection.
 */
export interface ProviderDependencies {
  readonly credentials: CredentialsService;
  readonly addresses: AddressPolicy;
  readonly changes: ChangeRecorder;
}

/**
 * Creates an integration and a provider, unless the workspace already has an active provider with
 * this slug, which stays unchanged. Returns the id of the provider. Can be called at every start.
 *
 * `manager` must be in a transaction in which only further calls of this function may follow: each
 * takes the lock of the outbox, for which all other writers wait until the commit, so a later
 * statement that waits for a row could deadlock.
 */
export async function createProviderIfMissing(
  manager: EntityManager,
  { credentials, addresses, changes }: ProviderDependencies,
  wanted: WantedProvider,
): Promise<string> {
  const { workspaceId, slug, name, providerId, key, prices = [] } = wanted;
  const live = { workspaceId, slug, status: LIVE_PROVIDER };
  const existing = await manager.findOneBy(ProviderEntity, live);
  if (existing) return existing.id;
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
  // The first providers use keys and never the cloud identity of the installation.
  const settings = { ALLOW_AMBIENT_CLOUD_CREDENTIALS: false };
  new IntegrationCredentials(credentials, addresses, settings).apply(integration, { key });
  await manager.save(integration);
  const models = prices.map(({ model, pricingConfig }) => ({
    ...{ id: uuidv7(), integrationId: id, slug: model, enabled: true, isCustom: true },
    pricingConfig: { ...pricingConfig },
  }));
  await manager.save(models.map((model) => manager.create(IntegrationModelEntity, model)));
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
