import type { CompiledTarget } from '@gw/routing';
import type { RequestContext, RequestView } from '../core/request-context';
import type { Upstream } from '../core/upstream';
import type { HedgePlan } from '../hedge/hedged-attempt';
import type { AttemptListener } from './gateway-response';
import type { BuiltRequest } from './request/request-builder';

/** One attempt on its way to a provider. Each around stage sets what the stages inside it need. */
export class AttemptCall {
  /** Set by the `target` stage. */
  upstream!: Upstream;
  /** The request to send: the client's, or the version that guardrails changed. */
  request: RequestView;
  /** Set by the `build` stage. */
  built!: BuiltRequest;

  constructor(
    readonly context: RequestContext,
    readonly target: CompiledTarget,
    public listener: AttemptListener,
    /** The second call that the plan may start next to this one; null when there is none. */
    readonly hedge: HedgePlan | null,
  ) {
    this.request = context;
  }

  /** Copies the attempt with another provider request and another listener. */
  with(built: BuiltRequest, listener: AttemptListener): AttemptCall {
    const other = new AttemptCall(this.context, this.target, listener, null);
    other.upstream = this.upstream;
    other.request = this.request;
    other.built = built;
    return other;
  }
}

/** The rest of the around stages, and the call itself. */
export interface Next {
  /**
   * Continues the attempt. A failure that prevents the attempt is thrown or reported to the
   * listener.
   */
  begin(call: AttemptCall): void;
}

/** Wraps the attempts of requests that use it; `core/order.ts` lists all around stages. */
export interface AroundStage {
  /** Whether the stage acts on this attempt; when absent, it acts on every attempt. */
  isUsed?(call: AttemptCall): boolean;
  /** Continues the attempt with `next`: immediately, later, several times or not at all. */
  around(call: AttemptCall, next: Next): void;
}
