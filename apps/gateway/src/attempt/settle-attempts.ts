import { GatewayError } from '@gw/kernel';
import { noteCacheUse } from '../cache/request-cache';
import type { GatewayResponse } from './gateway-response';
import type { RequestContext } from '../core/request-context';
import type { HedgedCall } from '../hedge/hedged-attempt';
import type { AttemptResult } from './attempt-result';

/**
 * Makes the last attempt the result of the request, and throws its failure. When the client has
 * disconnected, the call is cancelled and nothing is sent.
 */
export function settleOn(context: RequestContext, last: AttemptResult | null): void {
  if (context.clientGone) {
    if (last && 'response' in last) {
      context.attempts.cutUpstream = last.response.upstream;
      last.response.call?.abort();
    }
    context.reply.clientLeft();
    return;
  }
  if (last === null) throw new GatewayError('internal_error');
  if ('failure' in last) throw last.failure;
  context.response = last.response;
}

/**
 * Records the upstream of a call that the client's disconnect cut. Without a call, the client
 * disconnected during the cache lookup, and nothing is recorded.
 */
export function noteCutCall({ attempts }: RequestContext, { call, upstream }: GatewayResponse): void {
  if (call !== null) attempts.cutUpstream = upstream;
}

/**
 * Records the hedged calls that the client's disconnect cut, because their providers bill them. A
 * call that the request makes itself takes precedence over a shared one, so that it is charged.
 */
export function noteCutCalls(context: RequestContext, calls: readonly HedgedCall[]): void {
  const cut = calls.flatMap(({ response, outcome }) =>
    response !== null && response.call !== null && outcome.failure === 'interrupted'
      ? [{ upstream: response.upstream, cache: response.cache, isFree: response.cache?.isFree === true }]
      : [],
  );
  const [left, other = null] = cut.sort((one, two) => Number(one.isFree) - Number(two.isFree));
  if (left !== undefined) noteCacheUse(context, left.cache);
  context.attempts.cutUpstream = left?.upstream ?? null;
  context.attempts.cutHedgeCall = other;
}

/**
 * True when the attempt failed because the process is shutting down. That is not evidence about the
 * target, and no other target can be called.
 */
export const isStopped = (result: AttemptResult): boolean =>
  'failure' in result && result.failure.type === 'gateway_stopping';
