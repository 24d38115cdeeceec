import { performance } from 'node:perf_hooks';
import {
  isFollowedRedirect,
  type OutboundCall,
  type OutboundClient,
  type OutboundError,
  type OutboundHandler,
  type OutboundRequest,
} from '@gw/outbound';
import { valueOf } from '../http/header-rules';

/** Maximum number of redirects that one call follows. */
const REDIRECTS_MAX = 3;

/**
 * Whether the gateway follows redirects of a request: only of GET and HEAD without a body, so that
 * no provider processes a request twice or at an address that the caller did not choose.
 */
export const mayFollow = ({ method, body }: OutboundRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && body === null;

/**
 * Follows redirects within the request's own origin, which has the credential already; some
 * providers serve file contents by such a redirect. Any other redirect is passed to the handler as
 * the response. All calls together take at most the timeout of one call.
 */
export class FollowingCall implements OutboundCall, OutboundHandler {
  private readonly startedAt = performance.now();
  private call: OutboundCall;
  private path: string;
  private redirects = 0;
  private paused = false;
  /** True while the redirected call is being aborted, so that its error is ignored. */
  private isRedirecting = false;

  constructor(
    private readonly outbound: Pick<OutboundClient, 'dispatch'>,
    private readonly request: OutboundRequest,
    private readonly handler: OutboundHandler,
  ) {
    this.path = request.path;
    this.call = outbound.dispatch(request, this);
  }

  onHeaders(status: number, headers: readonly string[]): void {
    const path = isFollowedRedirect(status) ? this.pathWithin(valueOf(headers, 'location')) : null;
    if (path === null || this.redirects === REDIRECTS_MAX) this.handler.onHeaders(status, headers);
    else this.redirectTo(path);
  }

  onData(chunk: Buffer): void {
    this.handler.onData(chunk);
  }

  onEnd(): void {
    this.handler.onEnd();
  }

  onError(error: OutboundError): void {
    if (!this.isRedirecting) this.handler.onError(error);
  }

  pause(): void {
    this.paused = true;
    this.call.pause();
  }

  resume(): void {
    this.paused = false;
    this.call.resume();
  }

  abort(): void {
    this.call.abort();
  }

  private redirectTo(path: string): void {
    this.redirects += 1;
    this.path = path;
    this.isRedirecting = true;
    this.call.abort();
    this.isRedirecting = false;
    const tookMs = performance.now() - this.startedAt;
    const left = (boundMs: number): number => (boundMs === 0 ? 0 : Math.max(1, Math.ceil(boundMs - tookMs)));
    const { headersTimeoutMs, totalTimeoutMs } = this.request;
    this.call = this.outbound.dispatch(
      {
        ...this.request,
        path,
        headersTimeoutMs: left(headersTimeoutMs),
        totalTimeoutMs: left(totalTimeoutMs),
      },
      this,
    );
    if (this.paused) this.call.pause();
  }

  /**
   * Returns path and query of a location within the request's origin; null when the location is
   * outside the origin or not valid.
   */
  private pathWithin(location: string | undefined): string | null {
    const { origin } = this.request;
    const base = origin + this.path;
    if (location === undefined || !URL.canParse(location, base)) return null;
    const url = new URL(location, base);
    const isOwn = url.origin === new URL(origin).origin && url.username === '' && url.password === '';
    return isOwn ? url.pathname + url.search : null;
  }
}
