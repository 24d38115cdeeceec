import type { PricedUsage } from './pricer';

/** What an answer is priced by. */
export interface NamedModels {
  /** That the provider was to use; null: it is not known. */
  readonly requested: string | null;
  /** That the answer names; null: none. */
  readonly answered: string | null;
  /** Whether the integration itself says what a model costs: a price of its own, or that of another model that it is an alias of. */
  readonly isOwn: (model: string) => boolean;
}

/**
 * The price of an answer, and the model whose price it is. What an integration says of the model that it was to use holds, and a configured
 * price of that model holds against the catalogue's of another name. Else the dearer of both: a provider may use a dearer model than
 * the one that was named, and a name alone makes no answer cheaper. Null: neither has a price.
 */
export function priceOfAnswer<P extends Pick<PricedUsage, 'source' | 'total'>>(
  { requested, answered, isOwn }: NamedModels,
  price: (model: string) => P | null,
): { readonly model: string; readonly priced: P } | null {
  const byAsked = named(requested, price);
  if (answered === null || answered === requested) return byAsked;
  if (byAsked !== null && isOwn(byAsked.model)) return byAsked;
  const byAnswered = named(answered, price);
  if (byAsked === null || byAnswered === null) return byAsked ?? byAnswered;
  if (byAsked.priced.source === 'configured' && byAnswered.priced.source === 'catalogue') return byAsked;
  return byAnswered.priced.total < byAsked.priced.total ? byAsked : byAnswered;
}

function named<P>(
  model: string | null,
  price: (model: string) => P | null,
): { readonly model: string; readonly priced: P } | null {
  const priced = model === null ? null : price(model);
  return model === null || priced === null ? null : { model, priced };
}
