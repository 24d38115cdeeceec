import type { Upstream } from '../../core/upstream';
import type { RequestContext } from '../../core/request-context';
import type { AroundStage, AttemptCall, Next } from '../attempt-call';
import type { BuiltRequest, RequestBuilder } from './request-builder';

/** Turns the client's request, or what guardrails have made of it, into the provider's. */
export class BuildAround implements AroundStage {
  constructor(private readonly builder: Pick<RequestBuilder, 'build'>) {}

  around(call: AttemptCall, next: Next): void {
    const { context, request, upstream } = call;
    const built = this.builder.build(request, upstream);
    context.attempts.hidesUsage = built.hidesUsage;
    context.attempts.calls += callsOf(context);
    call.built = built;
    call.upstream = withBuilt(upstream, built);
    next.begin(call);
  }
}

/** Calls that one attempt makes. */
export const callsOf = ({ route }: RequestContext): number => (route.followUp === null ? 1 : 2);

/** With what came of the body, where it was made anew: response and record need it. */
function withBuilt(upstream: Upstream, { clientBody, dropped }: BuiltRequest): Upstream {
  if (clientBody === null) return upstream;
  return dropped === null ? { ...upstream, clientBody } : { ...upstream, clientBody, dropped };
}
