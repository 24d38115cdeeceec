import { Agent, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { CancelError, got, type ExtendOptions, type Got, type Response } from 'got';

export interface ServiceClientOptions {
  /**
   * Milliseconds of one attempt, from its start to the last byte of the response, or to the head of
   * a stream.
   */
  readonly timeoutMs: number;
  /** Maximum connections to one service. They are kept open between calls. */
  readonly connections: number;
  /**
   * Maximum size of a response body. A call with a larger response fails; streams are not bounded.
   */
  readonly bytesMax: number;
  /** When a call is retried, in the format of got. Default: never. */
  readonly retry?: NonNullable<ExtendOptions['retry']>;
}

export interface ServiceRequest {
  readonly url: string;
  /** Default: GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface ServiceResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Number of retries of the request. */
  readonly retries: number;
}

export interface ServiceStream {
  readonly status: number;
  /** Destroying the body ends the call. */
  readonly body: Readable;
}

const IDLE_MS = 30_000;

/**
 * Calls services whose URLs the operator configures: our own processes and services next to them.
 * The address policy does not apply, so a URL must never come from a tenant; use `BufferedClient`
 * for those. Every status is a response. Redirects are not followed, so that credentials go to no
 * other address.
 */
export class ServiceClient {
  private readonly agent: { readonly http: Agent; readonly https: HttpsAgent };
  private readonly got: Got;

  constructor(private readonly options: ServiceClientOptions) {
    const pool = { keepAlive: true, maxSockets: options.connections, timeout: IDLE_MS };
    this.agent = { http: new Agent(pool), https: new HttpsAgent(pool) };
    this.got = got.extend({
      headers: { 'user-agent': 'tollgate' },
      retry: options.retry ?? { limit: 0 },
      decompress: false,
      followRedirect: false,
      throwHttpErrors: false,
    });
  }

  /** Resolves with the whole response. Rejects when it takes too long or is too large. */
  async call({ url, method = 'GET', headers = {}, body }: ServiceRequest): Promise<ServiceResponse> {
    const { timeoutMs, bytesMax } = this.options;
    const sending = this.got(url, {
      ...{ method: method as 'GET', headers, agent: this.agent, timeout: { request: timeoutMs } },
      ...(body === undefined ? {} : { body }),
      responseType: 'buffer',
    });
    void sending.on('downloadProgress', ({ transferred }) => {
      if (transferred > bytesMax) sending.cancel();
    });
    const response = await sending.catch((error: unknown) => {
      if (error instanceof CancelError)
        throw new Error(`the response is larger than ${String(bytesMax)} bytes`);
      throw error;
    });
    const { statusCode, headers: received, body: bytes, retryCount } = response;
    return { status: statusCode, headers: received, body: bytes, retries: retryCount };
  }

  /**
   * Resolves with the head of the response. Uses a connection outside the pool, because a stream
   * would occupy it for its whole life. Streams are not retried.
   */
  open({ url, headers = {} }: ServiceRequest, signal: AbortSignal): Promise<ServiceStream> {
    const { timeoutMs } = this.options;
    const timeout = { connect: timeoutMs, response: timeoutMs };
    const body = this.got.stream(url, {
      ...{ headers, signal, timeout },
      agent: { http: false, https: false },
      retry: { limit: 0 },
    });
    return new Promise((resolve, reject) => {
      // Keep this listener: a stream that fails before its reader listens must not end the process.
      body.on('error', reject);
      body.once('response', ({ statusCode }: Response) => resolve({ status: statusCode, body }));
    });
  }

  /** Closes the pooled connections. */
  close(): void {
    this.agent.http.destroy();
    this.agent.https.destroy();
  }
}
