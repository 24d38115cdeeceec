import type { Usage } from '@gw/contracts';
import { createPriceBook, priceAtCustom, type PriceBook } from '@gw/pricing';
import type { Upstream } from '../pipeline/answer';
import { modelOf } from '../pipeline/attempt/targeting';
import type { Priced, Pricer } from '../pipeline/settlement';

/** A saved model's own price, else the catalogue's. */
export class CataloguePricer implements Pricer {
  private readonly book: PriceBook = createPriceBook();

  price({ saved, provider }: Upstream, model: string, usage: Usage, atMs: number): Priced | null {
    const listed = saved ? modelOf(saved, model) : null;
    if (listed?.price) {
      const custom = priceAtCustom(listed.price, usage);
      return custom && { source: 'custom', lines: custom.lines, total: custom.total };
    }
    const price = this.book.price(provider.priceCatalogueId, listed?.baseModelSlug ?? model, usage, atMs);
    return price && { source: 'catalogue', lines: price.lines, total: price.total };
  }
}
