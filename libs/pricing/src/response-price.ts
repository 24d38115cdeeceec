import type { PricedUsage } from './pricer';

/** The models that a response may be priced by. */
export interface NamedModels {
  /** The model that the provider should use; null when unknown. */
  readonly requested: string | null;
  /** The model that the response names; null when it names none. */
  readonly responded: string | null;
  /**
   * Whether the integration itself sets the model's price: an own price, or an alias of another
   * model.
   */
  readonly isOwn: (model: string) => boolean;
}

/**
 * Returns the price of a response, and the model it belongs to.
 * The integration's own price of the requested model takes precedence, and a configured price of
 * that model over the catalogue's price of another name. Otherwise the higher of both prices
 * applies: a provider may use a more expensive model than requested, and a name alone must not make
 * a response cheaper. Null when neither model has a price.
 */
export function priceOfResponse<P extends Pick<PricedUsage, 'source' | 'total'>>(
  { requested, responded, isOwn }: NamedModels,
  price: (model: string) => P | null,
): { readonly model: string; readonly priced: P } | null {
  const byRequested = named(requested, price);
  if (responded === null || responded === requested) return byRequested;
  if (byRequested !== null && isOwn(byRequested.model)) return byRequested;
  const byResponded = named(responded, price);
  if (byRequested === null || byResponded === null) return byRequested ?? byResponded;
  if (byRequested.priced.source === 'configured' && byResponded.priced.source === 'catalogue')
    return byRequested;
  return byResponded.priced.total < byRequested.priced.total ? byRequested : byResponded;
}

function named<P>(
  model: string | null,
  price: (model: string) => P | null,
): { readonly model: string; readonly priced: P } | null {
  const priced = model === null ? null : price(model);
  return model === null || priced === null ? null : { model, priced };
}
