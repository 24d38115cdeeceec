import type { BufferedClient } from '@gw/outbound';

interface Bounds {
  readonly bytesMax: number;
  readonly totalTimeoutMs: number;
}
interface FetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * A `fetch` function for protocol libraries that accept one. Makes small calls under the address
 * policy and follows no redirects.
 */
export async function bufferedFetch(
  http: BufferedClient,
  url: string,
  { method = 'GET', headers = {}, body }: FetchInit,
  bounds: Bounds,
): Promise<Response> {
  const response = await http.fetchBuffered({
    ...{ url, method, headers },
    ...(body === undefined ? {} : { body }),
    ...bounds,
  });
  const type = response.headers['content-type'];
  const isEmpty = response.status === 204 || response.status === 304;
  return new Response(isEmpty ? null : new Uint8Array(response.body), {
    status: response.status,
    headers: type === undefined ? {} : { 'content-type': type },
  });
}
