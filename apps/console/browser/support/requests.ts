import { eventually, type Product } from '@gw/testing';

export interface SentRequest {
  readonly status: number;
  /** Id of the request and its log. */
  readonly id: string;
  readonly body: unknown;
}

/**
 * Sends a chat request to the sandbox. Model names can contain settings, such as
 * `sandbox-small?status=503`.
 */
export async function chat(
  product: Product,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<SentRequest> {
  const response = await fetch(`${product.baseUrl}/chat/completions`, {
    method: 'POST',
    redirect: 'error',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${product.credentials.api_key}`,
      ...headers,
    },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Say hello.' }], ...body }),
  });
  const id = response.headers.get('x-gw-request-id') ?? '';
  return { status: response.status, id, body: await response.json() };
}

/**
 * Waits until the logs of these requests are stored. Pages that list logs do not read them again, so
 * they have to open later.
 */
export async function stored(product: Product, requests: readonly Pick<SentRequest, 'id'>[]): Promise<void> {
  const headers = { authorization: `Bearer ${product.credentials.api_key}` };
  for (const { id } of requests)
    await eventually(async () => {
      const response = await fetch(`${product.baseUrl}/logs/${id}`, { headers, redirect: 'error' });
      expect([id, response.status, await response.text()]).toEqual([id, 200, expect.any(String)]);
      return true;
    });
}

/** Config whose first target fails twice with 503 and whose second target responds. */
export const FALLBACK = {
  strategy: { mode: 'fallback' },
  targets: [
    {
      provider: '@sandbox',
      override_params: { model: 'sandbox-small?status=503&latency=20' },
      retry: { attempts: 1 },
    },
    { provider: '@sandbox', override_params: { model: 'sandbox-small?ttft=40' } },
  ],
};

/** Config whose first target is slow, so that the hedged second call responds. */
export const HEDGE = {
  strategy: { mode: 'hedge', hedge_delay: 20 },
  targets: [
    { provider: '@sandbox', override_params: { model: 'sandbox-small?latency=20000' } },
    { provider: '@sandbox' },
  ],
};

/** Sends a small chat request to the sandbox with a key and returns its status. */
export async function statusOf(product: Product, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'x-gw-provider': '@sandbox' };
  return (await chat(product, { model: 'sandbox-small' }, headers)).status;
}
