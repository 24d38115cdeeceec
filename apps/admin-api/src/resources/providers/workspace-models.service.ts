import { IntegrationEntity, IntegrationModelEntity, ProviderEntity } from '@gw/entities';
import { createPriceBook, createPricer, SavedPrices, type Rates } from '@gw/pricing';
import { providerFacts, PROVIDERS, type ProviderFacts } from '@gw/providers';
import { listOf, windowOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { inWorkspace } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { LIVE_PROVIDER, usableIntegrations } from '../../platform/rows/integrations.queries';
import { statusOf } from './providers.view';
import type { ListWorkspaceModelsQuery, WorkspaceModelResponse } from './workspace-models.dto';

/** Maximum number of providers of a workspace whose models are listed, by slug. */
const PROVIDERS_MAX = 500;

const BOOK = createPriceBook();
const PRICER = createPricer(BOOK);

interface Place {
  readonly provider: ProviderEntity;
  readonly integration: IntegrationEntity;
}

interface Named extends Place {
  readonly slug: string;
  readonly enabled: boolean;
}

type Switch = Pick<IntegrationModelEntity, 'integrationId' | 'slug' | 'enabled'>;

/**
 * Lists the models that requests of a workspace can name, from its providers, its integrations and
 * the catalogue.
 */
@Injectable()
export class WorkspaceModelsService {
  constructor(private readonly dataSource: DataSource) {}

  async list(
    caller: Principal,
    query: ListWorkspaceModelsQuery,
  ): Promise<ListResponse<WorkspaceModelResponse>> {
    const { manager } = this.dataSource;
    const places = await placesOf(manager, inWorkspace(caller), query.provider);
    const switches = await switchesOf(manager, places);
    const text = query.search?.normalize('NFC').toLowerCase();
    const named = places.flatMap((place) =>
      namesOf(place, switches.get(place.integration.id) ?? []).filter(
        ({ slug, enabled }) =>
          (text === undefined || slug.toLowerCase().includes(text)) &&
          (query.enabled === undefined || query.enabled === enabled),
      ),
    );
    const { skip, take } = windowOf(query);
    const page = named.slice(skip, skip + take);
    return listOf([await shownOf(manager, page), named.length]);
  }
}

/** Returns the providers of the workspace whose integration it may use, by slug. */
async function placesOf(
  manager: EntityManager,
  at: { readonly organisationId: string; readonly workspaceId: string },
  slug: string | undefined,
): Promise<Place[]> {
  const providers = await manager.find(ProviderEntity, {
    where: { ...at, status: LIVE_PROVIDER, ...(slug === undefined ? {} : { slug }) },
    order: { slug: 'ASC', id: 'ASC' },
    take: PROVIDERS_MAX,
  });
  const usable = await usableIntegrations(manager, at).getMany();
  const hidden = await manager.findBy(IntegrationEntity, {
    id: In(providers.filter(({ isVirtualKey }) => isVirtualKey).map(({ integrationId }) => integrationId)),
    status: 'active',
  });
  const integrations = new Map([...usable, ...hidden].map((integration) => [integration.id, integration]));
  return providers.flatMap((provider) => {
    const integration = integrations.get(provider.integrationId);
    return integration ? [{ provider, integration }] : [];
  });
}

function grouped<R extends { readonly integrationId: string }>(rows: readonly R[]): ReadonlyMap<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const group = groups.get(row.integrationId);
    if (group) group.push(row);
    else groups.set(row.integrationId, [row]);
  }
  return groups;
}

async function switchesOf(
  manager: EntityManager,
  places: readonly Place[],
): Promise<ReadonlyMap<string, readonly Switch[]>> {
  const rows = await manager.find(IntegrationModelEntity, {
    where: { integrationId: In([...new Set(places.map(({ integration }) => integration.id))]) },
    select: { id: true, integrationId: true, slug: true, enabled: true },
  });
  return grouped(rows);
}

/**
 * Returns the models of a provider by name: those with settings and, when all models are allowed,
 * those of the catalogue.
 */
function namesOf(place: Place, switches: readonly Switch[]): Named[] {
  const { provider, integration } = place;
  const isLive = statusOf(provider) === 'active';
  const enabledBySlug = new Map(switches.map(({ slug, enabled }) => [slug, enabled]));
  const { priceCatalogueId = null } = PROVIDERS.get(integration.aiProviderId) ?? {};
  if (integration.allowAllModels)
    for (const slug of BOOK.models(priceCatalogueId))
      if (!enabledBySlug.has(slug)) enabledBySlug.set(slug, true);
  return [...enabledBySlug]
    .map(([slug, isOn]) => ({ ...place, slug, enabled: isLive && isOn }))
    .sort((one, other) => (one.slug < other.slug ? -1 : 1));
}

async function shownOf(manager: EntityManager, page: readonly Named[]): Promise<WorkspaceModelResponse[]> {
  const rows = await manager.find(IntegrationModelEntity, {
    where: {
      integrationId: In([...new Set(page.map(({ integration }) => integration.id))]),
      slug: In([...new Set(page.map(({ slug }) => slug))]),
    },
  });
  const byIntegration = grouped(rows);
  const prices = new Map<string, SavedPrices | null>();
  const facts = new Map<string, ProviderFacts | null>();
  return page.map((named) => {
    const { integration, slug } = named;
    const own = byIntegration.get(integration.id) ?? [];
    if (!prices.has(integration.id)) prices.set(integration.id, savedPrices(integration, own));
    const { aiProviderId } = integration;
    const provider = PROVIDERS.get(aiProviderId);
    if (!facts.has(aiProviderId)) facts.set(aiProviderId, provider ? providerFacts(provider) : null);
    return toModel(named, {
      row: own.find((row) => row.slug === slug),
      rates: ratesOf(named, prices.get(integration.id) ?? null),
      facts: facts.get(aiProviderId) ?? null,
    });
  });
}

/**
 * Returns the saved prices; null when the adjustments cannot be read, and requests are then
 * unpriced.
 */
function savedPrices(
  { pricingAdjustments }: IntegrationEntity,
  rows: readonly IntegrationModelEntity[],
): SavedPrices | null {
  try {
    return new SavedPrices(
      rows.map(({ slug, baseModelSlug, pricingConfig }) => ({
        slug,
        baseModelSlug,
        pricingConfig,
        price: null,
      })),
      pricingAdjustments,
    );
  } catch {
    return null;
  }
}

function ratesOf({ integration, slug }: Named, prices: SavedPrices | null): Rates | null {
  const { aiProviderId: id } = integration;
  const request = prices?.request(PROVIDERS.get(id) ?? { id, priceCatalogueId: null }, slug) ?? null;
  return request && PRICER.rates(request, Date.now());
}

interface Facts {
  readonly row: IntegrationModelEntity | undefined;
  readonly rates: Rates | null;
  readonly facts: ProviderFacts | null;
}

const customOf = (
  row: IntegrationModelEntity | undefined,
): Pick<WorkspaceModelResponse, 'is_custom' | 'base_model_slug'> => ({
  is_custom: row?.isCustom ?? false,
  base_model_slug: row?.baseModelSlug ?? null,
});

const contextOf = ({ aiProviderId }: IntegrationEntity, model: string): number | null =>
  BOOK.contextTokens(PROVIDERS.get(aiProviderId)?.priceCatalogueId ?? null, model);

const pricesOf = (rates: Rates | null): WorkspaceModelResponse['prices'] =>
  (rates?.rates ?? []).map(({ unit, list, price, isTiered }) => ({
    ...{ unit, list_exact: String(list), price_exact: String(price), tiered: isTiered },
  }));

const routesOf = (facts: ProviderFacts | null): WorkspaceModelResponse['routes'] => ({
  native: facts?.native ?? [],
  translated: facts?.translated ?? [],
});

function toModel(
  { provider, integration, slug, enabled }: Named,
  { row, rates, facts }: Facts,
): WorkspaceModelResponse {
  const source = rates?.source ?? null;
  return {
    id: `@${provider.slug}/${slug}`,
    slug,
    provider: {
      id: provider.id,
      slug: provider.slug,
      name: provider.name,
      ai_provider_id: integration.aiProviderId,
      is_virtual_key: provider.isVirtualKey,
      status: statusOf(provider) as 'active' | 'exhausted' | 'expired',
    },
    enabled,
    ...customOf(row),
    context_tokens: contextOf(integration, row?.baseModelSlug ?? slug),
    price_source: source === 'configured' ? null : source,
    prices: pricesOf(rates),
    routes: routesOf(facts),
    object: 'model',
  };
}
