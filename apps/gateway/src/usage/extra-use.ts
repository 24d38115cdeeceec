import type { PriceLine, Usage } from '@gw/contracts';
import type { Accounts } from '../limits/accounts';
import type { RequestContext } from '../core/request-context';
import { NO_USAGE, sumOf, tokensOf, type ExtraUse, type TargetPricer } from './use';

/**
 * Adds the usage of other calls to the usage and the price of the response. The usage of a
 * cancelled hedge call is charged separately. Call it once, when usage and price of the response
 * are known.
 */
export function addExtraUse(
  context: RequestContext,
  calls: readonly ExtraUse[],
  pricer: TargetPricer,
  accounts: Accounts,
): void {
  const own = context.usage;
  const responded = own.reported;
  for (const call of calls) {
    const { usage, upstream } = call;
    if (usage !== null) {
      own.reported = own.reported === null ? usage : sumOf(own.reported, usage);
      const cost = addPrice(context, call, usage, pricer);
      if (cost !== null) own.addCost(cost);
    } else if (responded !== null) {
      const read = { ...NO_USAGE, inputTokens: responded.inputTokens };
      accounts.waste(context, upstream, read.inputTokens, addPrice(context, call, read, pricer));
    }
  }
  if (own.reported !== null && calls.some(({ isEstimate }) => isEstimate === true))
    own.estimatedTokens = tokensOf(own.reported);
}

/**
 * Adds the price of a call to the request's price and returns the call's cost in 1e-8 USD; null
 * when it has no price.
 */
function addPrice(
  context: RequestContext,
  { upstream, model, usage }: ExtraUse,
  used: Usage,
  pricer: TargetPricer,
): number | null {
  const priced = pricer.price(upstream, model, used, context.startedWallMs);
  if (priced === null) return null;
  const own = context.usage.price ?? { source: priced.source, model: priced.model, lines: [] };
  const lines = usage === null ? [wasted(priced.lines, used.inputTokens, priced.total)] : priced.lines;
  // The sum has prices of two models, so neither model may re-price it later.
  const byModel = usage === null || own.model === priced.model ? own.model : null;
  context.usage.price = { ...own, model: byModel, lines: [...own.lines, ...lines] };
  return priced.total;
}

/** The price line of the additional cost of a hedge. */
const wasted = (lines: readonly PriceLine[], quantity: number, cost: number): PriceLine => ({
  unit: 'hedge',
  quantity,
  pricePerMillion: lines.find((line) => line.quantity === quantity)?.pricePerMillion ?? 0,
  cost,
});
