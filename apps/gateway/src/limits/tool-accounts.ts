import {
  denialState,
  policyBuckets,
  type Bucket,
  type ChargeFlag,
  type Ledger,
  type LimitDenial,
} from '@gw/limits';
import { clientIdOf, userIdOf } from '../auth/known-caller';
import type { GatewayPrincipal } from '../auth/principals';
import type { RequestContext } from '../core/request-context';
import { budgetsOf } from '../usage/charges';
import { bucketsOfRequest } from './admission';
import { toolPolicies } from './caller-limits';
import type { LimitedCall } from './limited-call';
import { keepReservation, limitsOf } from './request-limits';

/**
 * Enforces limits of calls of tools and agents: policies of the target `mcp_tools`, and every
 * budget of the caller in USD. Limits of tokens and requests are for models.
 */
export class ToolAccounts {
  constructor(private readonly ledger: Ledger) {}

  /**
   * Reserves a call in its limits. Returns null if it is admitted, or the denial. A denied call
   * reserves nothing.
   */
  async admit(context: RequestContext, call: LimitedCall): Promise<LimitDenial | null> {
    const buckets = bucketsOfCall(context, call);
    if (buckets.length === 0) return null;
    const outcome = await this.ledger.admit(buckets, { cost: call.price, tokens: null });
    if (!outcome.admitted) {
      limitsOf(context).refuse(denialState(outcome));
      return outcome;
    }
    keepReservation(this.ledger, context, outcome);
    return null;
  }

  /**
   * Charges a call that reached its tool or agent. `result` is its tokens, or counts them: the
   * result of a tool is read only for calls with limits or a price. The settlement of a request
   * releases the reservation of a call that was not charged. Has no effect once the request is
   * settled.
   */
  charge(
    context: RequestContext,
    { server, price }: LimitedCall,
    result: number | (() => number),
    flags: readonly ChargeFlag[] = [],
  ): void {
    if (context.settled) return;
    const reservation = context.limits?.reservation ?? null;
    if (reservation === null && price === 0) return;
    const tokens = typeof result === 'number' ? result : result();
    const charge = { cost: price, tokens, requests: 1 };
    if (reservation !== null) this.ledger.settle(reservation, charge);
    const from = budgetsOf(reservation, null);
    if (from.length === 0 && price === 0) return;
    context.usage.addCharge({
      ...{ line: 'tool', provider: server, cost: price, tokens, requests: 0, flags, from },
    });
  }

  /**
   * Charges the call of a request that ends early. Its server or agent may carry it out, so the
   * price is charged as an estimate. Has no effect without such a call.
   */
  chargeCut(context: RequestContext): void {
    const called = context.mcp ?? context.agent;
    if (called === null || called.atServer === null) return;
    this.charge(context, called.atServer, 0, ESTIMATED);
    called.callEnds();
  }
}

const ESTIMATED: readonly ChargeFlag[] = ['estimated'];

function bucketsOfCall(context: RequestContext, call: LimitedCall): readonly Bucket[] {
  const principal = context.principal as GatewayPrincipal;
  const { key, workspace, limits } = principal;
  const own = limits === null ? [] : bucketsOfRequest(context, limits);
  const policies = policyBuckets(toolPolicies(workspace), 'mcp_tools', {
    apiKey: key.id,
    userId: userIdOf(principal),
    clientId: clientIdOf(principal),
    workspaceId: workspace.id,
    organisationId: workspace.organisationId,
    metadata: context.metadata,
    ...namesOf(call),
  });
  return [...own.filter(({ measure }) => measure === 'cost'), ...policies];
}

/** Values of a call that conditions of policies can compare. */
const namesOf = ({ of, server, tool, shownTool = tool, annotations = [] }: LimitedCall) =>
  of === 'agent'
    ? { agent: server, agentSkill: tool }
    : { mcpServer: server, mcpTool: tool, mcpShownTool: shownTool, mcpAnnotations: annotations };
