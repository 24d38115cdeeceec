import { UUID } from '@gw/kernel';
import { isOfBatch } from '@gw/contracts';
import { IntegrationEntity, IntegrationModelEntity } from '@gw/entities';
import type { PricedLog } from '@gw/log-store';
import {
  createPriceBook,
  createPricer,
  priceOfResponse,
  SavedPrices,
  type ModelConfigs,
  type PricedRecord,
  type Pricer,
  type PriceRequest,
} from '@gw/pricing';
import { PROVIDERS } from '@gw/providers';
import { In, type EntityManager } from 'typeorm';
import { REST_UNIT } from '../../ledger/charged-once';

/**
 * Prices logs at the current prices, in the order a gateway uses: the model's own price, a
 * configured source's, the catalogue's at the time of the request; times the integration's
 * adjustments.
 */
export class LogPricer {
  readonly pricer: Pricer;

  constructor(private readonly configs: ModelConfigs | null) {
    this.pricer = createPricer(createPriceBook(), configs);
  }

  /**
   * Returns the logs as `reprice` needs them. Their cost is that of the response only, without
   * other charges of the request.
   */
  async records(manager: EntityManager, logs: readonly PricedLog[]): Promise<PricedRecord[]> {
    const saved = await savedPrices(manager, logs);
    const providers = new Set(logs.flatMap(({ row }) => row.provider ?? []));
    const { configs } = this;
    if (configs !== null) await Promise.all([...providers].map((provider) => configs.load(provider)));
    return logs.flatMap((log) => {
      const { row, decision, usage: ofLog } = log;
      const usage = decision.charges?.some(isOfBatch) === true ? { ...ofLog, batch: true } : ofLog;
      const request = this.requestOf({ ...log, usage }, saved);
      if (request === null) return [];
      const cost = decision.price?.lines.reduce((sum, line) => sum + line.cost, 0) ?? null;
      return [{ id: row.id, at: Date.parse(row.created_at), request, usage, cost }];
    });
  }

  /**
   * Returns the price request of a log with its billable usage; null for a log without a provider
   * or without a known price, for usage of several models, and for a part of a named usage.
   */
  private requestOf(
    { row, decision, usage }: PricedLog,
    saved: ReadonlyMap<string, SavedPrices>,
  ): PriceRequest | null {
    // `model: null`: several models were priced together, and the log does not show the usage of
    // each.
    if (row.provider === null || decision.price?.model === null) return null;
    // The log does not show which kinds of tokens the part consists of.
    if (decision.price?.lines.some(({ unit }) => unit === REST_UNIT) === true) return null;
    const prices = row.integration_id === null ? undefined : saved.get(row.integration_id);
    const provider = PROVIDERS.get(row.provider) ?? { id: row.provider, priceCatalogueId: null };
    const requestBy = (model: string): PriceRequest | null =>
      prices ? prices.request(provider, model) : { provider, model };
    const isOwn = (model: string): boolean => prices?.isOwn(model) === true;
    const found = priceOfResponse({ requested: row.model, responded: row.response_model, isOwn }, (model) => {
      const request = requestBy(model);
      return request && this.pricer.price(request, usage, Date.parse(row.created_at));
    });
    return found && requestBy(found.model);
  }
}

async function savedPrices(
  manager: EntityManager,
  logs: readonly PricedLog[],
): Promise<ReadonlyMap<string, SavedPrices>> {
  const ids = [...new Set(logs.flatMap(({ row }) => row.integration_id ?? []))].filter((id) => UUID.test(id));
  if (ids.length === 0) return new Map();
  const integrations = await manager.findBy(IntegrationEntity, { id: In(ids) });
  const models = await manager.findBy(IntegrationModelEntity, { integrationId: In(ids) });
  return new Map(
    integrations.map(({ id, pricingAdjustments }) => {
      const own = models.filter(({ integrationId }) => integrationId === id);
      const prices = own.map(({ slug, baseModelSlug, pricingConfig }) => ({
        ...{ slug, baseModelSlug, pricingConfig, price: null },
      }));
      return [id, new SavedPrices(prices, pricingAdjustments)] as const;
    }),
  );
}
