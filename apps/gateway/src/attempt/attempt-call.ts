import type { CompiledTarget } from '@gw/config-schema';
import type { RequestContext, RequestView } from '../core/request-context';
import type { Upstream } from '../core/upstream';
import type { HedgePlan } from '../hedge/hedged-attempt';
import type { AttemptListener } from './gateway-response';
import type { BuiltRequest } from './request/request-builder';

/** One attempt on its way to a provider. Each around stage fills what those inside of it need. */
export class AttemptCall {
  /** Set by `target`. */
  upstream!: Upstream;
  /** As it is sent: the request itself, or what guardrails have made of it. */
  request: RequestView;
  /** Set by `build`. */
  built!: BuiltRequest;

  constructor(
    readonly context: RequestContext,
    readonly target: CompiledTarget,
    public listener: AttemptListener,
    /** The second call that the plan offers next to this one; null: none. */
    readonly hedge: HedgePlan | null,
  ) {
    this.request = context;
  }

  /** The same attempt with another request to the provider, and another listener. */
  with(built: BuiltRequest, listener: AttemptListener): AttemptCall {
    const other = new AttemptCall(this.context, this.target, listener, null);
    other.upstream = this.upstream;
    other.request = this.request;
    other.built = built;
    return other;
  }
}

/** The rest of an attempt's way. */
export interface Next {
  /** Throws what keeps the attempt from being made, or reports it to the listener. */
  begin(call: AttemptCall): void;
}

/** Wraps the attempts of requests that use it; `core/order.ts` lists all of them. */
export interface AroundStage {
  /** Whether it acts on this attempt. Absent: on each. */
  isUsed?(call: AttemptCall): boolean;
  /** Makes the attempt by `next`, possibly later, more than once or not at all. */
  around(call: AttemptCall, next: Next): void;
}
