import type { ChargeLine } from '@gw/contracts';
import type { Upstream } from '../core/upstream';
import { cacheUseOf } from '../cache/cache-use';
import type { RequestContext } from '../core/request-context';
import { budgetsOf } from './charges';
import { type PendingCharge } from './use';
import { callsModel, type Estimates, type UsageEstimate } from './estimates';
import type { SessionAccounts } from '../limits/session-accounts';

/** Charges of a request whose gateway died. */
export interface LostUse {
  /** Cost of all its attempts in 1e-8 USD; null: no price is known. */
  readonly cost: number | null;
  /** Charges to budgets; empty: no budget applies. */
  readonly charges: readonly PendingCharge[];
}

/**
 * Estimates what in-flight requests would be charged if they were cut now. It reserves, charges and
 * settles nothing.
 */
export class LostUses {
  constructor(
    private readonly estimates: Estimates,
    private readonly sessions: Pick<SessionAccounts, 'lost'>,
  ) {}

  of(context: RequestContext, upstream: Upstream, line: ChargeLine): LostUse {
    const known = [...(context.usage.charges ?? []), ...this.alongside(context)];
    const before = known.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
    const own = this.ofCall(context, upstream);
    const cost = own.cost === null && before === 0 ? null : (own.cost ?? 0) + before;
    const from = budgetsOf(context.limits?.reservation ?? null, upstream.reservation ?? null);
    if (from.length === 0 && known.length === 0) return { cost, charges: [] };
    return { cost, charges: [...known, { ...chargeOf(upstream, own, line), requests: 1, from }] };
  }

  /**
   * Returns the charge of a call that an MCP server or agent is processing; null when there is
   * none.
   */
  ofTool({ mcp, agent, limits }: RequestContext): LostUse | null {
    const call = (mcp ?? agent)?.atServer ?? null;
    if (call === null) return null;
    const { server: provider, price: cost } = call;
    const from = budgetsOf(limits?.reservation ?? null, null);
    if (from.length === 0 && cost === 0) return { cost, charges: [] };
    const flags = ['estimated'] as const;
    return { cost, charges: [{ line: 'tool', provider, cost, tokens: 0, requests: 0, flags, from }] };
  }

  /** Charges of the other call of a hedged pair, which its provider bills too. */
  private alongside(context: RequestContext): readonly PendingCharge[] {
    if (context.hedge === null) return [];
    const alongside = context.hedge.first;
    const from = budgetsOf(context.limits?.reservation ?? null, alongside.reservation ?? null);
    return [{ ...chargeOf(alongside, this.ofCall(context, alongside), 'primary'), requests: 0, from }];
  }

  /** Estimates the use of one call. */
  ofCall(context: RequestContext, upstream: Upstream): UsageEstimate {
    const { response, upgrade, reply } = context;
    const isSold = callsModel(context) && (response === null || response.status < 400);
    if (!isSold || cacheUseOf(context)?.isFree === true) return { cost: 0, tokens: 0 };
    if (upgrade !== null) return this.sessions.lost(context, upstream, reply.meter?.unchargedParts?.() ?? []);
    return this.estimates.ofUncounted(context, upstream);
  }
}

const chargeOf = ({ provider }: Upstream, own: UsageEstimate, line: ChargeLine) => ({
  ...{ line, provider: provider.id },
  ...own,
  flags: own.cost === null ? (['estimated', 'unpriced'] as const) : (['estimated'] as const),
});
