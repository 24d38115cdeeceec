import type { AttemptEnd, AttemptRecord } from '@gw/contracts';
import type { CompiledTarget } from '@gw/routing';
import type { Upstream } from '../core/upstream';
import type { RequestContext } from '../core/request-context';
import type { AttemptResult } from './attempt-result';
import { providerNamed } from './targeting';

/**
 * Creates the decision record's entry for an attempt. `result`: null when the call was cancelled
 * because the other call of a hedged pair won. `upstream`: the destination, used if there is no
 * response; null when it is unknown.
 */
export function recordOf(
  context: RequestContext,
  target: CompiledTarget,
  retry: number,
  result: AttemptResult | null,
  startedMs: number,
  durationMs: number,
  upstream: Upstream | null,
): AttemptRecord {
  const response = result !== null && 'response' in result ? result.response : null;
  return {
    target: target.path,
    ...namesOf(context, target, response?.upstream ?? upstream),
    retry,
    status: response?.status ?? null,
    end: context.clientGone ? 'client_closed' : endOf(result),
    reason: result !== null && 'failure' in result ? result.failure.message : null,
    startedMs,
    durationMs,
  };
}

/**
 * Returns the names for an attempt's record. Without an upstream, only the provider that the target
 * or the request names is known.
 */
function namesOf(
  context: RequestContext,
  target: CompiledTarget,
  upstream: Upstream | null,
): Pick<AttemptRecord, 'provider' | 'credential' | 'model' | 'losses' | 'moreLosses'> {
  if (upstream === null) {
    return { provider: withoutModel(providerNamed(context, target) ?? ''), credential: null, model: null };
  }
  const { provider, saved, model, losses } = upstream;
  const names = { provider: provider.id, credential: saved?.slug ?? null, model };
  if (losses === undefined) return names;
  const more = losses.more === 0 ? {} : { moreLosses: losses.more };
  return { ...names, losses: losses.losses, ...more };
}

/** `@slug` of the `@slug/model` that may stand for a saved provider. */
const withoutModel = (named: string): string =>
  named.startsWith('@') ? (named.split('/', 1)[0] ?? '') : named;

function endOf(result: AttemptResult | null): AttemptEnd {
  if (result === null) return 'cancelled';
  if ('response' in result) return result.response.status < 400 ? 'answered' : 'status';
  const { failure } = result.outcome;
  // The gateway sent no request: `refused` if it does not allow the custom host, otherwise
  // `skipped`.
  if (failure !== 'refused' && failure !== 'cut' && failure !== null) return failure;
  return result.failure.type === 'custom_host_refused' ? 'refused' : 'skipped';
}
