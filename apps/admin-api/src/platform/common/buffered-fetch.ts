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

/** `fetch` for protocols whose libraries take one: small calls under our address policy, which follow no redirect. */
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
