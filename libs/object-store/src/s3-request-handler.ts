import type { BufferedClient } from '@gw/outbound';
import { Readable } from 'node:stream';

/** The part of the SDK's requests that is used. */
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

/** Lets the SDK reach the network by our client alone, so that the address policy and the proxy hold for it as for all else. */
export const outboundRequestHandler = (client: BufferedClient, bytesMax: number) => ({
  metadata: { handlerProtocol: 'http/1.1' },

  async handle(request: HttpRequest) {
    const { content, headers } = sendable(request);
    const answer = await client.fetchBuffered({
      url: urlOf(request),
      method: request.method,
      headers,
      body: content,
      totalTimeoutMs: CALL_TIMEOUT_MS,
      bytesMax,
    });
    return {
      response: {
        statusCode: answer.status,
        headers: Object.fromEntries(
          Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
        ),
        body: Readable.from([answer.body], { objectMode: false }),
      },
    };
  },

  destroy(): void {
    // Every call has a connection of its own.
  },

  updateHttpClientConfig(): void {
    // Nothing of it can be set.
  },

  httpHandlerConfigs: () => ({}),
});

/** The client sets `host` and the length by itself. Bodies are texts and bytes, since we make no others. */
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

/** As signatures want it. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
