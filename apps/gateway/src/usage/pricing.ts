import type { Usage } from '@gw/contracts';
import type { CacheUse } from '../cache/cache-use';
import type { RequestContext } from '../core/request-context';
import type { Upstream } from '../core/upstream';
import { isImplausible } from './absurd-use';
import { createdWorkName, earlierUses, mayReportEarlierWork } from './made-earlier';
import type { RequestUsage } from './request-usage';
import { NO_USAGE, sumOf, type EarlierUse, type LinePricer, type TargetPricer } from './use';

type Pricing = Pick<TargetPricer, 'price'>;

/**
 * Prices the usage that a response reports: its own, or that of work which earlier requests
 * created. Call it once, at settlement.
 */
export function priceUse(
  context: RequestContext,
  upstream: Upstream,
  responseModel: string | null,
  used: Usage | null,
  pricer: Pricing,
): void {
  const own = context.usage;
  if (own.parts !== null) {
    takeParts(own);
    return;
  }
  if (mayReportEarlierWork(context, used)) {
    const reported = earlierUses(context, upstream, linePricer(pricer, upstream, context.startedWallMs));
    if (reported.length > 0) {
      priceEarlier(context, upstream, reported, pricer);
      return;
    }
    // Any other usage that a GET reports was charged when the work was created.
    if (context.method === 'GET') return;
    own.createdWork = createdWorkName(context, upstream);
    // The usage so far is incomplete.
    if (own.createdWork !== null) return;
  }
  if (used !== null && !isImplausible(used)) price(context, upstream, responseModel, used, false, pricer);
}

/** Sets the cost of a cached or shared response to zero and stores the saved cost. */
export function priceCached(own: RequestUsage, cache: CacheUse): void {
  if (!cache.isFree) return;
  cache.savedCost = own.cost;
  own.reported = NO_USAGE;
  own.price = null;
  own.cost = 0;
}

/** Returns a function that prices the responses of a batch. */
export const linePricer =
  (pricer: Pricing, upstream: Upstream, atMs: number): LinePricer =>
  (model, usage) =>
    pricer.price(upstream, model, { ...usage, batch: true }, atMs);

/** Prices each earlier usage separately. Price lines are kept only when there is one. */
function priceEarlier(
  context: RequestContext,
  upstream: Upstream,
  reported: readonly EarlierUse[],
  pricer: Pricing,
): void {
  const own = context.usage;
  own.earlier = reported.map((use) => {
    priceEarlierUse(context, upstream, use, pricer);
    // Usage of zero tokens costs nothing, whichever the model is.
    if (use.usage.inputTokens + use.usage.outputTokens === 0) own.cost ??= 0;
    return { ...use, cost: own.cost };
  });
  if (reported.length === 1) return;
  own.price = null;
  own.reported = reported.map(({ usage }) => usage).reduce(sumOf);
  own.cost = atMost(own.earlier.reduce((sum, { cost }) => sum + (cost ?? 0), 0));
}

function priceEarlierUse(
  context: RequestContext,
  upstream: Upstream,
  { output, model, usage, isBatch }: EarlierUse,
  pricer: Pricing,
): void {
  if (output === undefined) {
    price(context, upstream, model, usage, isBatch, pricer);
    return;
  }
  const own = context.usage;
  own.reported = output.usage;
  own.price = output.price;
  own.cost = output.cost;
}

function price(
  { usage: own, startedWallMs }: RequestContext,
  upstream: Upstream,
  responseModel: string | null,
  usage: Usage,
  isBatch: boolean,
  pricer: Pricing,
): void {
  own.reported = usage;
  const billable = isBatch ? { ...usage, batch: true } : usage;
  const priced = pricer.price(upstream, responseModel, billable, startedWallMs);
  own.price = priced && { source: priced.source, model: priced.model, lines: priced.lines };
  own.cost = priced && atMost(priced.total);
}

/** Uses the prices of a session's parts. */
function takeParts(own: RequestUsage): void {
  if (own.parts === null) return;
  const { usage, cost, tokens, isEstimate, price: priceOfParts } = own.parts;
  own.reported = usage;
  own.cost = cost;
  own.price = priceOfParts;
  if (isEstimate) own.estimatedTokens = tokens;
}

/** Bounds a cost by the largest integer that the log record accepts. */
const atMost = (cost: number): number => Math.min(cost, Number.MAX_SAFE_INTEGER);
