import type { AttemptEnd, AttemptRecord } from '@gw/contracts';
import type { CompiledTarget } from '@gw/config-schema';
import type { Upstream } from '../core/upstream';
import type { RequestContext } from '../core/request-context';
import type { AttemptResult } from './attempt-result';

/**
 * `tried` null: the call was given up, since the other one of a hedged pair answered first. `upstream`: where it went, if that is
 * known without an answer.
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
  const answer = tried !== null && 'answer' in tried ? tried.answer : null;
  return {
    target: target.path,
    ...namesOf(context, target, answer?.upstream ?? upstream),
    retry,
    status: answer?.status ?? null,
    end: context.clientGone ? 'client_closed' : endOf(tried),
    reason: tried !== null && 'failure' in tried ? tried.failure.message : null,
    startedMs,
    durationMs,
  };
}

/** Of an attempt that was never made, only what the target or the request called it is known. */
function namesOf(
  context: RequestContext,
  target: CompiledTarget,
  upstream: Upstream | null,
): Pick<AttemptRecord, 'provider' | 'credential' | 'model' | 'dropped'> {
  if (upstream === null) {
    return { provider: target.provider ?? context.gw.provider ?? '', credential: null, model: null };
  }
  const { provider, saved, model, dropped } = upstream;
  const names = { provider: provider.id, credential: saved?.slug ?? null, model };
  return dropped === undefined ? names : { ...names, dropped };
}

function endOf(tried: AttemptResult | null): AttemptEnd {
  if (tried === null) return 'cancelled';
  if ('answer' in tried) return tried.answer.status < 400 ? 'answered' : 'status';
  const { failure } = tried.outcome;
  // Nothing was sent where the outbound door was never reached.
  if (failure !== 'refused' && failure !== 'cut' && failure !== null) return failure;
  return tried.failure.type === 'custom_host_refused' ? 'refused' : 'skipped';
}
