import { readNonce, type AddressPolicy } from '@gw/kernel';
import { readChallenge } from '@gw/mcp';
import {
  layeredHeaders,
  openResponse,
  type OutboundClient,
  type OutboundError,
  type OutboundRequest,
  type ResponseMemory,
  type StreamedResponse,
} from '@gw/outbound';
import { UPSTREAM_BOUNDS } from '../limits';
import { noMemory, protocolError, tooLarge, UpstreamError, type UpstreamErrorKind } from '../upstream-error';
import { beforeAbort } from './before-abort';
import type { CallClock } from './call-clock';
import { HEADER_RULES, type HeaderSource } from './headers';

/** One HTTP request to the upstream. */
export interface UpstreamHttpRequest {
  /** HTTP method in upper case. */
  readonly method: string;
  /** Target; absent for the URL of the upstream. */
  readonly url?: URL | undefined;
  /** Headers of the protocol, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** Headers of the caller for this call only, such as its identity. */
  readonly extra?: Readonly<Record<string, string>> | undefined;
}

export type UpstreamHttpResponse = StreamedResponse;

export interface UpstreamHttpOptions {
  readonly client: Pick<OutboundClient, 'dispatch'>;
  readonly policy: AddressPolicy;
  readonly url: URL;
  /** Connections are shared only within a class: one per tenant and credential. */
  readonly poolClass: string;
  /**
   * Headers of every request, such as credentials. Called for each request, so that tokens may
   * change.
   */
  readonly headers: HeaderSource;
  readonly connectMs: number;
  /** Counts the bytes of responses; absent to count none. */
  readonly memory?: ResponseMemory;
}

/** Target of a request that the address policy allowed. */
interface Target {
  readonly href: string;
  readonly origin: string;
  readonly path: string;
}

/** Sends HTTP requests to one upstream under the address policy. Follows no redirects. */
export class UpstreamHttp {
  private target: Target | null = null;
  /** Latest nonce that the upstream sent for proofs of a key; null for none. */
  private nonce: string | null = null;

  constructor(private readonly options: UpstreamHttpOptions) {}

  get url(): URL {
    return this.options.url;
  }

  /** Name of the class within which connections are shared. */
  get poolClass(): string {
    return this.options.poolClass;
  }

  /** Memory for the clocks of requests that belong to no call. */
  get memory(): ResponseMemory | null {
    return this.options.memory ?? null;
  }

  /**
   * Resolves with the head of a response of any status. The reader must read or discard its body.
   * Rejects with an `UpstreamError`.
   */
  async send(request: UpstreamHttpRequest, clock: CallClock): Promise<UpstreamHttpResponse> {
    const { nonce } = this;
    const response = await this.sendOnce(request, clock);
    // A request that was refused for its nonce was not executed. It is repeated once.
    if (this.nonce === nonce || !isNonceRefused(response)) return response;
    response.body.discard();
    return this.sendOnce(request, clock);
  }

  private async sendOnce(request: UpstreamHttpRequest, clock: CallClock): Promise<UpstreamHttpResponse> {
    const { origin, path } = this.targetOf(request.url ?? this.options.url);
    if (clock.aborted !== null) throw clock.aborted.withExecution(false);
    const { method, body } = request;
    const source = this.options.headers({ method, url: `${origin}${path}`, body, nonce: this.nonce });
    const configured = source instanceof Promise ? await beforeAbort(source, clock) : source;
    const ofCall = request.extra ?? {};
    const headers = layeredHeaders({ configured, ofCall, protocol: request.headers }, HEADER_RULES);
    const { client, poolClass, connectMs } = this.options;
    const sent: OutboundRequest = {
      origin,
      path,
      headers,
      poolClass,
      method,
      body,
      connectTimeoutMs: connectMs,
      // The clock of the call enforces the other limits.
      headersTimeoutMs: 0,
      idleTimeoutMs: 0,
      totalTimeoutMs: 0,
    };
    const response = await openResponse(client, sent, clock, ERRORS);
    if (configured['dpop'] !== undefined)
      this.nonce = readNonce(response.headers.get('dpop-nonce')) ?? this.nonce;
    return response;
  }

  /**
   * Returns the target of a URL. The policy's verdict depends only on the text of the URL, so it is
   * cached.
   */
  private targetOf({ href }: URL): Target {
    if (this.target?.href !== href) this.target = this.allowed(href);
    return this.target;
  }

  private allowed(href: string): Target {
    const verdict = this.options.policy.checkUrl(href);
    if (verdict.ok) {
      const { origin, pathname, search } = verdict.url;
      return { href, origin, path: `${pathname}${search}` };
    }
    throw new UpstreamError('refused_address', verdict.rule, { mayHaveExecuted: false });
  }
}

const isNonceRefused = ({ status, headers }: UpstreamHttpResponse): boolean =>
  status === 401 && readChallenge(headers.get('www-authenticate') ?? '')?.error === 'use_dpop_nonce';

const KINDS: Readonly<Record<OutboundError['failure'], UpstreamErrorKind>> = {
  refused: 'refused_address',
  unreachable: 'unreachable',
  timeout: 'timeout',
  interrupted: 'interrupted',
  redirected: 'redirected',
  aborted: 'cancelled',
  stopped: 'closed',
};
/** Failure reasons after which the upstream may have read the request. */
const SENT_REASONS: ReadonlySet<unknown> = new Set(['connection_closed', 'reused_connection_closed', null]);

function fromOutbound(error: OutboundError): UpstreamError {
  const { failure, phase, reason } = error;
  const isUnsent =
    failure === 'refused' || phase === 'connect' || (failure === 'unreachable' && !SENT_REASONS.has(reason));
  return new UpstreamError(KINDS[failure], error.message, {
    mayHaveExecuted: !isUnsent,
    cause: error,
    ...(phase !== null && { phase }),
  });
}

const undecodable = (): UpstreamError => protocolError('The response does not have its content coding.');

const ERRORS = {
  ...{ errorOf: fromOutbound, tooLarge, noMemory },
  decoding: { bytesMax: UPSTREAM_BOUNDS.callBytesMax, undecodable },
};
