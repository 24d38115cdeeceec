import type { PriceLine } from '@gw/contracts';
import { MILLION, type Adjustments } from './adjustments';
import type { PriceCard } from './catalogue';
import { priceLines, priceOfText, type Factor } from './lines';
import type { ModelConfigs } from './model-configs';
import { costOf } from './money';
import type { PriceBook } from './price-book';
import type { BillableUsage } from './usage';

/** The price facts of a provider's manifest. */
export interface PricedProvider {
  /** Provider id such as `openai`, which names the documents of the configured sources. */
  readonly id: string;
  /** Provider id in the built-in catalogue; null when it is not there. */
  readonly priceCatalogueId: string | null;
  /**
   * Price of a batch in millionths of the usual price, unless a price says otherwise; the usual
   * price when absent.
   */
  readonly batchMillionths?: number;
}

export interface PriceRequest {
  readonly provider: PricedProvider;
  readonly model: string;
  /** The price of a custom model; takes precedence over all other prices. */
  readonly custom?: PriceCard | null;
  /** Adjustments of the integration, applied to any price. */
  readonly adjustments?: Adjustments | null;
}

export interface PricedUsage {
  readonly source: 'custom' | 'configured' | 'catalogue';
  readonly lines: readonly PriceLine[];
  /** Sum of the lines, in 1e-8 USD. */
  readonly total: number;
}

/** A model's price of one kind of unit, in 1e-8 USD per million units. */
export interface Rate {
  readonly unit: string;
  /** Price for requests with few input tokens, before the adjustment. */
  readonly list: number;
  /** `list` multiplied by the integration's factor. */
  readonly price: number;
  /** Whether requests with many input tokens have another price. */
  readonly isTiered: boolean;
}

export interface Rates {
  readonly source: PricedUsage['source'];
  readonly rates: readonly Rate[];
}

export interface Pricer {
  /** Returns the prices of tokens and requests of a model; null when it is unpriced. */
  rates(request: PriceRequest, at: number): Rates | null;
  /** Returns the price of a usage; null when it is unpriced. An unknown price is never 0. */
  price(request: PriceRequest, usage: BillableUsage, at: number): PricedUsage | null;
  /** Returns the total for text tokens faster than by their lines; null when unpriced. */
  priceOfText(request: PriceRequest, input: number, output: number, at: number): number | null;
}

export function createPricer(book: PriceBook, configs: ModelConfigs | null = null): Pricer {
  return {
    rates(request, at) {
      const found = cardFor(request, at, book, configs);
      if (found === null) return null;
      const { adjustments } = request;
      const { units } = adjustments ? adjustments.split(found.card) : found.card;
      const factor = factorOf(adjustments ?? null, MILLION);
      const rates = Object.entries(units).map(([unit, { base, tiers }]) => ({
        unit,
        list: base,
        price: factor === null ? base : costOf(base, factor(unit)),
        isTiered: tiers.length > 0,
      }));
      return { source: found.source, rates };
    },
    price(request, usage, at) {
      const found = cardFor(request, at, book, configs);
      if (found === null) return null;
      const { adjustments } = request;
      const card = adjustments ? adjustments.split(found.card) : found.card;
      const batch = usage.batch === true ? batchPart(card, request.provider) : MILLION;
      const lines = priceLines(usage, card, factorOf(adjustments ?? null, batch));
      if (lines === null) return null;
      let total = 0;
      for (const { cost } of lines) total += cost;
      return { source: found.source, lines, total };
    },
    priceOfText(request, input, output, at) {
      const found = cardFor(request, at, book, configs);
      if (found === null) return null;
      const { adjustments } = request;
      const card = adjustments ? adjustments.split(found.card) : found.card;
      return priceOfText(card, input, output, factorOf(adjustments ?? null, MILLION));
    },
  };
}

function cardFor(
  { custom, provider, model }: PriceRequest,
  at: number,
  book: PriceBook,
  configs: ModelConfigs | null,
): { readonly source: PricedUsage['source']; readonly card: PriceCard } | null {
  if (custom) return { source: 'custom', card: custom };
  const configured = configs?.prices(provider.id)?.cardAt(model, at);
  if (configured) return { source: 'configured', card: configured };
  const card = book.card(provider.priceCatalogueId, model, at);
  return card && { source: 'catalogue', card };
}

const batchPart = ({ batchMillionths }: PriceCard, provider: PricedProvider): number =>
  batchMillionths ?? provider.batchMillionths ?? MILLION;

function factorOf(adjustments: Adjustments | null, batch: number): Factor | null {
  if (adjustments === null) return batch === MILLION ? null : () => batch;
  return batch === MILLION ? adjustments.factor : (unit) => costOf(adjustments.factor(unit), batch);
}

/** The parts of a log record that its price depends on. */
export interface PricedRecord {
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly request: PriceRequest;
  readonly usage: BillableUsage | null;
  /** 1e-8 USD; null when unpriced. */
  readonly cost: number | null;
}

export interface Repricing {
  readonly changes: readonly {
    readonly id: string;
    readonly before: number | null;
    readonly after: number;
    readonly lines: readonly PriceLine[];
  }[];
  readonly seen: number;
  /** Records without a price in the newer book too; they keep the old one. */
  readonly unpriced: number;
  /** Sum of the changes in 1e-8 USD; an unpriced record counts as 0 before. */
  readonly difference: number;
}

/**
 * Computes what records would cost with another pricer. It changes nothing, so a dry run equals the
 * run.
 */
export function reprice(records: Iterable<PricedRecord>, pricer: Pricer): Repricing {
  const changes: Repricing['changes'][number][] = [];
  let seen = 0;
  let unpriced = 0;
  let difference = 0;
  for (const { id, at, request, usage, cost } of records) {
    seen += 1;
    if (usage === null) continue;
    const priced = pricer.price(request, usage, at);
    if (priced === null) {
      unpriced += 1;
      continue;
    }
    if (priced.total === cost) continue;
    changes.push({ id, before: cost, after: priced.total, lines: priced.lines });
    difference += priced.total - (cost ?? 0);
  }
  return { changes, seen, unpriced, difference };
}
