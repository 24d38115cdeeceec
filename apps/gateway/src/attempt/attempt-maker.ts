import type { CompiledTarget } from '@gw/config-schema';
import type { GatewayResponse } from './gateway-response';
import type { AttemptCall } from './attempt-call';
import type { RequestContext } from '../core/request-context';

/** Makes one attempt. */
export interface AttemptMaker {
  /** Milliseconds that one attempt at the target may take. */
  timeoutOf(context: RequestContext, target: CompiledTarget): number;
  /** Whether the request may call a provider once more, while `pending` calls of it are about to be made. */
  mayCall(context: RequestContext, pending?: number): boolean;
  /** Starts one attempt. Throws what keeps it from being made. */
  begin(call: AttemptCall): void;
  /** Reads an answer that the client does not get to its end. */
  discard(context: RequestContext, answer: GatewayResponse): void;
}
