import type { Upstream } from '../../core/upstream';
import type { RequestContext } from '../../core/request-context';
import type { AroundStage, AttemptCall, Next } from '../attempt-call';
import type { BuiltRequest, RequestBuilder } from './request-builder';

/**
 * Builds the provider request from the client's request, or from the version that guardrails
 * changed.
 */
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

/** Number of provider calls that one attempt makes. */
export const callsOf = ({ route }: RequestContext): number => (route.followUp === null ? 1 : 2);

/** Adds facts about a rebuilt body that the response and the record need. */
function withBuilt(upstream: Upstream, { clientBody, losses }: BuiltRequest): Upstream {
  if (clientBody === null) return upstream;
  return {
    ...upstream,
    clientBody,
    ...(losses === null || losses.losses.length === 0 ? {} : { losses }),
  };
}
