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

/** Of one call. */
const REDIRECTS_MAX = 3;

/** Only what reads, and sends no body: nothing is carried out twice, or somewhere else than the caller meant. */
export const mayFollow = ({ method, body }: OutboundRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && body === null;

/**
 * A call that follows redirects within its own origin, which has its credential already: some providers serve the content of files
 * so. Any other redirect goes to the handler as the answer that it is. All calls together take no longer than one may.
 */
export class FollowingCall implements OutboundCall, OutboundHandler {
  private readonly startedAt = performance.now();
  private call: OutboundCall;
  private path: string;
  private redirects = 0;
  private paused = false;
  /** The call that has brought a redirect is given up in favour of the next one. */
  private isMoving = false;

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
    else this.moveTo(path);
  }

  onData(chunk: Buffer): void {
    this.handler.onData(chunk);
  }

  onEnd(): void {
    this.handler.onEnd();
  }

  onError(error: OutboundError): void {
    if (!this.isMoving) this.handler.onError(error);
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

  private moveTo(path: string): void {
    this.redirects += 1;
    this.path = path;
    this.isMoving = true;
    this.call.abort();
    this.isMoving = false;
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

  /** The path and query of an address within the origin of the request; null: it leads elsewhere, or nowhere. */
  private pathWithin(location: string | undefined): string | null {
    const { origin } = this.request;
    const base = origin + this.path;
    if (location === undefined || !URL.canParse(location, base)) return null;
    const url = new URL(location, base);
    const isOwn = url.origin === new URL(origin).origin && url.username === '' && url.password === '';
    return isOwn ? url.pathname + url.search : null;
  }
}
