import type { PriceLine, Usage } from '@gw/contracts';
import type { Charge, Ledger, Reservation } from '@gw/limits';
import type { Upstream } from '../core/upstream';
import type { RequestContext } from '../core/request-context';
import { sumOf } from '../usage/use';
import type { RequestPrice, SessionParts, TargetPricer } from '../usage/use';
import type { SessionPart } from '../realtime/metering/session-meter';
import type { Estimates } from '../usage/estimates';

/**
 * Whether a session may continue. `limit`: a limit is reached. `unpriced`: a part has no price and
 * a budget is strict.
 */
export type SessionVerdict = 'ok' | 'limit' | 'unpriced';

/**
 * Charges sessions part by part, so that limits see each part at once, and estimates usage that a
 * provider does not report.
 */
export class SessionAccounts {
  constructor(
    private readonly ledger: Ledger,
    private readonly estimates: Estimates,
    private readonly pricer: TargetPricer,
  ) {}

  charge(context: RequestContext, part: SessionPart): SessionVerdict {
    const { response } = context;
    if (response === null) return 'ok';
    const { upstream } = response;
    const { charge, usage, price } = this.priced(context, upstream, part);
    const before = context.usage.parts ?? NO_PARTS;
    context.usage.chargeParts(added(before, part.isEstimate ? null : usage, charge, price));
    const held = heldBy(context, upstream);
    for (const reservation of held) this.ledger.charge(reservation, charge);
    if (held.length > 0 && !part.isEstimate) this.estimates.learn(context, upstream, usage.outputTokens);
    if (charge.cost === null && held.some(({ buckets }) => buckets.some(isStrictCost))) return 'unpriced';
    return this.verdict(context);
  }

  /** Checks the limits without a charge, because other requests may have reached them. */
  verdict(context: RequestContext): SessionVerdict {
    const { response } = context;
    const held = response === null ? [] : heldBy(context, response.upstream);
    return held.every((reservation) => reservation.exhausted() === null) ? 'ok' : 'limit';
  }

  /** Returns what a session would be charged if it ended now. Charges nothing. */
  lost(context: RequestContext, upstream: Upstream, rest: readonly SessionPart[]): Charge {
    const { parts } = context.usage;
    let [cost, tokens] = [parts?.cost ?? null, parts?.tokens ?? 0];
    for (const part of rest) {
      const { charge } = this.priced(context, upstream, part);
      tokens += charge.tokens;
      if (charge.cost !== null) cost = (cost ?? 0) + charge.cost;
    }
    return { cost: cost ?? (tokens === 0 ? 0 : null), tokens, requests: 1 };
  }

  private priced(
    context: RequestContext,
    upstream: Upstream,
    { usage: counted, isOutputUnknown, requested, model }: SessionPart,
  ): { readonly charge: Charge; readonly usage: Usage; readonly price: RequestPrice | null } {
    const outputTokens = isOutputUnknown
      ? this.estimates.likelyOutput(context, upstream)
      : counted.outputTokens;
    const usage = { ...counted, outputTokens };
    const by = requested === null ? upstream : { ...upstream, model: requested };
    const priced = this.pricer.price(by, model, usage, context.startedWallMs);
    const tokens = usage.inputTokens + usage.outputTokens;
    return {
      charge: { cost: priced?.total ?? null, tokens, requests: 0 },
      usage,
      price: priced && { source: priced.source, model: priced.model, lines: priced.lines },
    };
  }
}

const NO_PARTS: SessionParts = { usage: null, cost: null, tokens: 0, isEstimate: false, price: null };

function added(
  { usage, cost, tokens, isEstimate, price }: SessionParts,
  reported: Usage | null,
  charge: Charge,
  priceOfPart: RequestPrice | null,
): SessionParts {
  return {
    usage: usage && reported ? sumOf(usage, reported) : (usage ?? reported),
    cost: charge.cost === null ? cost : (cost ?? 0) + charge.cost,
    tokens: tokens + charge.tokens,
    isEstimate: isEstimate || reported === null,
    price: withLines(price, priceOfPart),
  };
}

/** Merges lines at the same price, so that even a long session has few lines. */
function withLines(known: RequestPrice | null, more: RequestPrice | null): RequestPrice | null {
  if (known === null || more === null) return known ?? more;
  const lines = new Map<string, PriceLine>();
  for (const line of [...known.lines, ...more.lines]) {
    const key = `${line.unit} ${String(line.pricePerMillion)}`;
    const same = lines.get(key);
    const [quantity, cost] = [line.quantity + (same?.quantity ?? 0), line.cost + (same?.cost ?? 0)];
    lines.set(key, { ...line, quantity, cost });
  }
  // With several models, no single model's price may re-price the sum later.
  const model = known.model === more.model ? known.model : null;
  return { ...known, model, lines: [...lines.values()] };
}

const isStrictCost = ({ measure, strict }: Reservation['buckets'][number]): boolean =>
  strict && measure === 'cost';

function heldBy({ limits }: RequestContext, upstream: Upstream): readonly Reservation[] {
  const held = limits?.reservation ? [limits.reservation] : [];
  if (upstream.reservation) held.push(upstream.reservation);
  return held;
}
