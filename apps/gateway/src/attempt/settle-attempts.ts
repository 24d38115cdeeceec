import { GatewayError } from '@gw/kernel';
import type { RequestContext } from '../core/request-context';
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

/**
 * True when the attempt failed because the process is shutting down. That is not evidence about the target, and no other target
 * can be called.
 */
export const isStopped = (result: AttemptResult): boolean =>
  'failure' in result && result.failure.type === 'gateway_stopping';
