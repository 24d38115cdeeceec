import { Agent, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { CancelError, got, type ExtendOptions, type Got, type Response } from 'got';

export interface ServiceClientOptions {
  /** For one attempt, from its start to the last byte of the response; of a stream, to the head of the response. */
  readonly timeoutMs: number;
  /** Connections to one service; they are kept open between calls. */
  readonly connections: number;
  /** Size of a response body; a call whose response is longer fails. Streams are not bounded. */
  readonly bytesMax: number;
  /** When a call is sent again, by the rules of got. Default: never. */
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
  /** How often the request was sent again. */
  readonly retries: number;
}

export interface ServiceStream {
  readonly status: number;
  /** Destroying it ends the call. */
  readonly body: Readable;
}

const IDLE_MS = 30_000;

/**
 * Calls services whose addresses the operator has set: our own processes, and what runs next to them. The address policy
 * does not apply, so a URL must never come from a tenant; BufferedClient is for those. Every status is a response.
 * Redirects are never followed, so that credentials go to no other address.
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

  /** Rejects when there is no whole response in time, or when it is too long. */
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
        throw new Error(`The response is larger than ${String(bytesMax)} bytes.`);
      throw error;
    });
    const { statusCode, headers: received, body: bytes, retryCount } = response;
    return { status: statusCode, headers: received, body: bytes, retries: retryCount };
  }

  /**
   * Resolves with the head of the response. The connection is not one of the pool's, because a stream would hold it for as
   * long as it lives. Streams are never sent again.
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
      // It stays: a stream that fails before its reader listens must not end the process.
      body.on('error', reject);
      body.once('response', ({ statusCode }: Response) => resolve({ status: statusCode, body }));
    });
  }

  /** Closes the connections that are kept open. */
  close(): void {
    this.agent.http.destroy();
    this.agent.https.destroy();
  }
}
