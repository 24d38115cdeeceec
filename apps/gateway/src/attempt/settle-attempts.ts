import { GatewayError } from '@gw/kernel';
import { noteCacheUse } from '../cache/request-cache';
import type { GatewayResponse } from './gateway-response';
import type { RequestContext } from '../core/request-context';
import type { HedgedCall } from '../hedge/hedged-attempt';
import type { AttemptResult } from './attempt-result';

/**
 * Makes the last attempt the result of the request. Throws its failure; a client that has left gets nothing, and the call
 * is cancelled.
 */
export function settleOn(context: RequestContext, last: AttemptResult | null): void {
  if (context.clientGone) {
    if (last && 'response' in last) {
      context.attempts.left = last.response.upstream;
      last.response.call?.abort();
    }
    context.reply.clientLeft();
    return;
  }
  if (last === null) throw new GatewayError('internal_error');
  if ('failure' in last) throw last.failure;
  context.response = last.response;
}

/** Notes a call that the client's disconnect cut; without a call, the client left during the cache lookup. */
export function noteCutCall({ attempts }: RequestContext, { call, upstream }: GatewayResponse): void {
  if (call !== null) attempts.left = upstream;
}

/**
 * Notes the hedged calls that the client's disconnect cut, because their providers bill them. A call that the request makes itself
 * comes first, so that it is charged although the other one is shared.
 */
export function noteCutCalls(context: RequestContext, calls: readonly HedgedCall[]): void {
  const cut = calls.flatMap(({ response, outcome }) =>
    response !== null && response.call !== null && outcome.failure === 'interrupted'
      ? [{ upstream: response.upstream, cache: response.cache, isFree: response.cache?.isFree === true }]
      : [],
  );
  const [left, other = null] = cut.sort((one, two) => Number(one.isFree) - Number(two.isFree));
  if (left !== undefined) noteCacheUse(context, left.cache);
  context.attempts.left = left?.upstream ?? null;
  context.attempts.leftAlongside = other;
}

/**
 * True when the attempt failed because the process is shutting down. That is not evidence about the target, and no other target
 * can be called.
 */
export const isStopped = (result: AttemptResult): boolean =>
  'failure' in result && result.failure.type === 'gateway_stopping';
