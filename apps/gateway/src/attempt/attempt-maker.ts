import type { CompiledTarget } from '@gw/routing';
import type { GatewayResponse } from './gateway-response';
import type { AttemptCall } from './attempt-call';
import type { RequestContext } from '../core/request-context';

/** Makes one attempt. */
export interface AttemptMaker {
  /** Milliseconds that one attempt at the target may take. */
  timeoutOf(context: RequestContext, target: CompiledTarget): number;
  /**
   * Whether the request may make one more provider call, in addition to `pending` calls that are
   * about to start.
   */
  mayCall(context: RequestContext, pending?: number): boolean;
  /** Starts one attempt. Throws when the attempt cannot be made. */
  begin(call: AttemptCall): void;
  /** Reads the rest of a response that does not go to the client. */
  discard(context: RequestContext, response: GatewayResponse): void;
}
