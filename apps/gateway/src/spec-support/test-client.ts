import type { GatewayHarness } from './harness';

export interface TestRequest {
  /** Sent as `x-gw-config`: a config as JSON, or the slug of a saved one. */
  readonly config?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly method?: string;
  readonly signal?: AbortSignal;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
  /** `x-gw-cache-status` */
  readonly cache: string | null;
}

/**
 * Sends requests to a gateway and reads complete responses. An object is sent as JSON, bytes are
 * sent unchanged.
 */
export class TestClient {
  constructor(private readonly gateway: () => GatewayHarness) {}

  async ask(path: string, body: object | Buffer | null, requested: TestRequest = {}): Promise<TestResponse> {
    const response = await this.open(path, body, requested);
    const bytes = Buffer.from(await response.arrayBuffer());
    const { status, headers } = response;
    return { status, headers, bytes, text: bytes.toString(), cache: headers.get('x-gw-cache-status') };
  }

  /** Returns the response before its body has arrived. */
  open(path: string, body: object | Buffer | null, requested: TestRequest = {}): Promise<Response> {
    const { config, headers, key = this.gateway().apiKey, method = 'POST', signal } = requested;
    const isJson = body !== null && !Buffer.isBuffer(body);
    const sent = Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body);
    return fetch(`${this.gateway().baseUrl}${path}`, {
      method,
      headers: {
        'x-gw-api-key': key,
        ...(isJson && { 'content-type': 'application/json' }),
        ...(config !== undefined && {
          'x-gw-config': typeof config === 'string' ? config : JSON.stringify(config),
        }),
        ...headers,
      },
      ...(body !== null && { body: sent }),
      ...(signal && { signal }),
    });
  }
}
