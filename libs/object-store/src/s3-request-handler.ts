import type { BufferedClient } from '@gw/outbound';
import { Readable } from 'node:stream';

/** The used part of the SDK's requests. */
interface HttpRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const CALL_TIMEOUT_MS = 15_000;

/** Sends the SDK's requests through our client, so that the address policy and the proxy apply. */
export const outboundRequestHandler = (client: BufferedClient, bytesMax: number) => ({
  metadata: { handlerProtocol: 'http/1.1' },

  async handle(request: HttpRequest) {
    const { content, headers } = sendable(request);
    const response = await client.fetchBuffered({
      url: urlOf(request),
      method: request.method,
      headers,
      body: content,
      totalTimeoutMs: CALL_TIMEOUT_MS,
      bytesMax,
    });
    return {
      response: {
        statusCode: response.status,
        headers: Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
        ),
        body: Readable.from([response.body], { objectMode: false }),
      },
    };
  },

  destroy(): void {
    // Every call has its own connection.
  },

  updateHttpClientConfig(): void {
    // There is nothing to configure.
  },

  httpHandlerConfigs: () => ({}),
});

/**
 * Removes headers that the client sets itself (`host` and the length). We only send texts and bytes
 * as bodies.
 */
function sendable({ headers, body: content }: HttpRequest): {
  content: Buffer;
  headers: Record<string, string>;
} {
  if (
    content !== undefined &&
    content !== null &&
    typeof content !== 'string' &&
    !(content instanceof Uint8Array)
  )
    throw new Error('A request to the object store has a body of an unknown kind.');
  const { host: _host, ['content-length']: _length, expect: _expect, ...sent } = headers;
  return { content: Buffer.from(content ?? ''), headers: sent };
}

function urlOf({ protocol, hostname, port, path, query }: HttpRequest): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    (typeof value === 'object' ? (value ?? ['']) : [value]).map(
      (each) => `${escaped(name)}=${escaped(each)}`,
    ),
  );
  const search = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  return `${protocol}//${hostname}${port === undefined ? '' : `:${String(port)}`}${path}${search}`;
}

/** Formats the query as signatures need it. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
