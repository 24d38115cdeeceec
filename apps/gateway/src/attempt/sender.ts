import { Buffer } from 'node:buffer';
import { OutboundError, type OutboundCall, type OutboundClient, type OutboundHandler } from '@gw/outbound';
import { GatewayResponse } from './gateway-response';
import type { Upstream } from '../core/upstream';
import type { RequestContext } from '../core/request-context';
import type { GatewayPrincipal } from '../auth/principals';
import type { AttemptCall, Next } from './attempt-call';
import type { LocalPlayer } from './local-transport';
import { FollowingCall, mayFollow } from './following-call';
import type { BuiltRequest } from './request/request-builder';

/**
 * Stores the in-flight record of a request before a provider is called. Throws when the call
 * requires a stored record and storing failed.
 */
export type BeforeCall = (context: RequestContext, upstream: Upstream | null) => void;

/** Sends an attempt as an HTTP call. */
export class Sender implements Next {
  constructor(
    private readonly outbound: OutboundClient,
    private readonly player: LocalPlayer,
    private readonly beforeCall: BeforeCall,
  ) {}

  begin({ context, upstream, built, listener }: AttemptCall): void {
    const response = new GatewayResponse(upstream, listener, context);
    // The client may have left while the attempt waited for counters or a guardrail. A call that is
    // begun would be charged as an estimate, although its provider never receives it.
    if (context.clientGone || context.settled) {
      queueMicrotask(() => {
        response.onError(new OutboundError('aborted', 'The request ended before the call was made.'));
      });
      return;
    }
    response.call = this.call(context, upstream, built, response);
    listener.callStarted(response);
  }

  /**
   * Makes the call without reporting to a listener. `handler` receives the response; it is never
   * called before this method returns.
   */
  call(
    context: RequestContext,
    upstream: Upstream,
    { request }: BuiltRequest,
    handler: OutboundHandler,
  ): OutboundCall {
    const { metadata, principal } = context;
    const { local } = upstream.provider;
    if (local === undefined) {
      this.beforeCall(context, upstream);
      return mayFollow(request)
        ? new FollowingCall(this.outbound, request, handler)
        : this.outbound.dispatch(request, handler);
    }
    const { method, path, body } = request;
    const bytes = Buffer.isBuffer(body) ? body : EMPTY;
    const respond = () => local.respond({ method, path, body: bytes, metadata });
    return this.player.play(principal as GatewayPrincipal, respond, handler);
  }
}

/** Reports the result of a promise to a listener. */
export function reportResult({ context, listener }: AttemptCall, response: Promise<GatewayResponse>): void {
  context.guard(() =>
    response.then(
      (received) => listener.responded(received),
      (thrown: unknown) => listener.refused(thrown),
    ),
  );
}

const EMPTY = Buffer.alloc(0);
