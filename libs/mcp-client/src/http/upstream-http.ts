import type { AddressPolicy } from '@gw/kernel';
import { OutboundError, type OutboundCall, type OutboundClient } from '@gw/outbound';
import { UpstreamError, type UpstreamErrorKind } from '../upstream-error';
import { beforeAbort } from './before-abort';
import type { CallClock } from './call-clock';
import { checkedHeaders, type HeaderSource } from './headers';
import { ResponseBody } from './response-body';

/** One HTTP request to the upstream. */
export interface UpstreamHttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** Null: the URL of the upstream. */
  readonly url?: URL | undefined;
  /** Headers of the protocol, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** Headers of the caller for this call alone, such as its identity. */
  readonly extra?: Readonly<Record<string, string>> | undefined;
}

export interface UpstreamHttpResponse {
  readonly status: number;
  /** By lower-case name; the first value of a repeated header. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: ResponseBody;
}

export interface UpstreamHttpOptions {
  readonly client: OutboundClient;
  readonly policy: AddressPolicy;
  readonly url: URL;
  /** Connections are shared only within a class: one per tenant and credential. */
  readonly poolClass: string;
  /** Headers of every request, such as credentials. Read for each request, so that tokens may change. */
  readonly headers: HeaderSource;
  readonly connectMs: number;
}

/** Sends HTTP requests to one upstream over the address policy. Follows no redirect. */
export class UpstreamHttp {
  constructor(private readonly options: UpstreamHttpOptions) {}

  get url(): URL {
    return this.options.url;
  }

  /**
   * Resolves with the head of a response of any status. The reader must read or discard its body.
   * Rejects with an `UpstreamError`.
   */
  async send(request: UpstreamHttpRequest, clock: CallClock): Promise<UpstreamHttpResponse> {
    const url = this.allowed(request.url ?? this.options.url);
    if (clock.signal.aborted) throw (clock.signal.reason as UpstreamError).withExecution(false);
    const configured = await beforeAbort(this.options.headers(), clock.signal);
    const headers = checkedHeaders(configured, request.extra ?? {}, request.headers);
    const { poolClass, connectMs } = this.options;
    return new Promise((resolve, reject) => {
      const state = { hasHead: false };
      // Reads `call` late, since the client calls the handler only after it has returned.
      const body = new ResponseBody(() => call);
      const fail = (error: Error): void => {
        clock.signal.removeEventListener('abort', onAbort);
        if (state.hasHead) body.finish(error);
        else reject(error);
      };
      const onAbort = (): void => {
        fail(clock.signal.reason as UpstreamError);
        call.abort();
      };
      const call: OutboundCall = this.options.client.dispatch(
        {
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: request.method,
          headers,
          body: request.body,
          poolClass,
          connectTimeoutMs: connectMs,
          // The clock of the call has the other limits.
          ...{ headersTimeoutMs: 0, idleTimeoutMs: 0, totalTimeoutMs: 0 },
        },
        {
          onHeaders: (status, raw) => {
            clock.touch();
            state.hasHead = true;
            resolve({ status, headers: fieldsOf(raw), body });
          },
          onData: (chunk) => {
            clock.touch();
            body.push(chunk);
          },
          onEnd: () => {
            clock.signal.removeEventListener('abort', onAbort);
            body.finish(null);
          },
          onError: (error) => fail(fromOutbound(error)),
        },
      );
      clock.signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  private allowed(url: URL): URL {
    const verdict = this.options.policy.checkUrl(url.href);
    if (verdict.ok) return verdict.url;
    throw new UpstreamError('refused_address', verdict.rule, { mayHaveExecuted: false });
  }
}

function fieldsOf(raw: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] as string;
    if (!fields.has(name)) fields.set(name, raw[at + 1] as string);
  }
  return fields;
}

const KINDS: Readonly<Record<OutboundError['failure'], UpstreamErrorKind>> = {
  refused: 'refused_address',
  unreachable: 'unreachable',
  timeout: 'timeout',
  interrupted: 'interrupted',
  redirected: 'redirected',
  aborted: 'cancelled',
  stopped: 'closed',
};
/** Reasons after which the upstream may have read the request. */
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
