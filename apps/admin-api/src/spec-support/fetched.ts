import type { Call, GatewayResponse } from './admin-api';

/** Calls a running admin API over HTTP with the headers of the call, and follows no redirect. */
export async function fetched<T>(
  origin: string,
  method: string,
  url: string,
  { headers, body }: Pick<Call, 'headers' | 'body'> = {},
): Promise<GatewayResponse<T>> {
  const response = await fetch(`${origin}${url}`, {
    ...{ method, redirect: 'manual' },
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: { ...Object.fromEntries(response.headers), 'set-cookie': response.headers.getSetCookie() },
    body: (isJson ? JSON.parse(text) : {}) as T,
    text,
  };
}
