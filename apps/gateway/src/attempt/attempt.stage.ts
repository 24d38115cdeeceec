import { GatewayError } from '@gw/kernel';
import {
  createPlan,
  type RoutingCursor,
  type RoutingRuntime,
  type RoutingState,
  type CompiledTarget,
} from '@gw/routing';
import type { RequestContext, Stage } from '../core/request-context';
import type { Accounts } from '../limits/accounts';
import type { GatewayResponse } from './gateway-response';
import type { AttemptCall, Next } from './attempt-call';
import type { AttemptMaker } from './attempt-maker';
import { Attempts } from './attempts';
import { PlanFacts } from './plan-facts';
import { callsOf } from './request/build.around';
import type { RequestBuilder } from './request/request-builder';

/**
 * Tries the targets of the plan in order until one response is good enough or no target is left.
 */
export class AttemptStage implements Stage, AttemptMaker {
  private readonly runtime: RoutingRuntime;

  constructor(
    /** The around stages, ending with the provider call. */
    private readonly ways: Next,
    private readonly builder: Pick<RequestBuilder, 'timeoutOf'>,
    private readonly accounts: Pick<Accounts, 'discard'>,
    state: RoutingState,
    private readonly callsMax: number,
  ) {
    this.runtime = { random: () => Math.random(), now: Date.now, state };
  }

  run(context: RequestContext): Promise<void> | undefined {
    if (hasReply(context)) return undefined;
    return new Promise((resolve, reject) => {
      new Attempts(this, context, this.plan(context), resolve, reject).takeStep();
    });
  }

  timeoutOf(context: RequestContext, target: CompiledTarget): number {
    return this.builder.timeoutOf(context, target);
  }

  mayCall(context: RequestContext, pending = 0): boolean {
    return context.attempts.calls + pending + callsOf(context) <= this.callsMax;
  }

  begin(call: AttemptCall): void {
    this.ways.begin(call);
  }

  discard(context: RequestContext, response: GatewayResponse): void {
    this.accounts.discard(context, response);
  }

  private plan(context: RequestContext): RoutingCursor {
    if (context.config === null) throw new GatewayError('internal_error');
    return createPlan(context.config, new PlanFacts(context), this.runtime);
  }
}

/** True when a rendered prompt or a stored response is the reply, so that no provider is called. */
const hasReply = ({ prompt, idempotency }: RequestContext): boolean =>
  (prompt !== null && prompt.rendered !== null) || (idempotency !== null && idempotency.replayed !== null);
