import type { AttemptEnd, AttemptRecord } from '@gw/contracts';
import type { CompiledTarget } from '@gw/config-schema';
import type { Upstream } from '../core/upstream';
import type { RequestContext } from '../core/request-context';
import type { AttemptResult } from './attempt-result';

/**
 * Creates the decision record's entry for an attempt. `tried` is null when the call was cancelled because the other call of a
 * hedged pair won. `upstream`: the destination, when it is known without a response.
 */
export function recordOf(
  context: RequestContext,
  target: CompiledTarget,
  retry: number,
  tried: AttemptResult | null,
  startedMs: number,
  durationMs: number,
  upstream: Upstream | null,
): AttemptRecord {
  const response = tried !== null && 'response' in tried ? tried.response : null;
  return {
    target: target.path,
    ...namesOf(context, target, response?.upstream ?? upstream),
    retry,
    status: response?.status ?? null,
    end: context.clientGone ? 'client_closed' : endOf(tried),
    reason: tried !== null && 'failure' in tried ? tried.failure.message : null,
    startedMs,
    durationMs,
  };
}

/** For an attempt that was never made, only the names in the target and the request are known. */
function namesOf(
  context: RequestContext,
  target: CompiledTarget,
  upstream: Upstream | null,
): Pick<AttemptRecord, 'provider' | 'credential' | 'model' | 'losses' | 'moreLosses'> {
  if (upstream === null) {
    return { provider: target.provider ?? context.gw.provider ?? '', credential: null, model: null };
  }
  const { provider, saved, model, losses } = upstream;
  const names = { provider: provider.id, credential: saved?.slug ?? null, model };
  if (losses === undefined) return names;
  const more = losses.more === 0 ? {} : { moreLosses: losses.more };
  return { ...names, losses: losses.losses, ...more };
}

function endOf(tried: AttemptResult | null): AttemptEnd {
  if (tried === null) return 'cancelled';
  if ('response' in tried) return tried.response.status < 400 ? 'answered' : 'status';
  const { failure } = tried.outcome;
  // `skipped`: nothing was sent, because the outbound client was not reached.
  if (failure !== 'refused' && failure !== 'cut' && failure !== null) return failure;
  return tried.failure.type === 'custom_host_refused' ? 'refused' : 'skipped';
}
