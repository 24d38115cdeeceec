import { documentKey, INTERNAL } from '@gw/contracts';
import { apiKeyPepper, hashApiKey } from '@gw/kernel';
import { eventually, StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { Principals } from './principals';

const EARLIER = Buffer.alloc(32, 9);
const KEY = 'earlierKey000000000000000000000AB';
const TOKEN = 'service-token-of-the-tests-0123456789';

describe('an API key hashed under an earlier master key', () => {
  it('accepts the key and reports it to the control plane in the background, but no key hashed under the current master key', async () => {
    const stub = await StubProvider.start();
    stub.respondJson({});
    const gateway = await GatewayHarness.start({
      ADMIN_URL: stub.origin,
      SERVICE_TOKEN: TOKEN,
      ENCRYPTION_KEYS_PREVIOUS: EARLIER.toString('base64'),
    });
    try {
      gateway.addProvider('main', 'sandbox', stub.origin);
      gateway.addKey(KEY);
      const { documents } = gateway;
      const now = documentKey.apiKey(hashApiKey(apiKeyPepper(gateway.master), KEY));
      const document = documents.get(now);
      if (document) documents.set(documentKey.apiKey(hashApiKey(apiKeyPepper(EARLIER), KEY)), document);
      documents.remove(now);
      const statuses = [];
      for (const key of [gateway.apiKey, KEY, KEY]) {
        const { status } = await fetch(`${gateway.baseUrl}/models`, {
          headers: { 'x-gw-api-key': key, 'x-gw-provider': 'sandbox' },
        });
        statuses.push(status);
      }
      expect(statuses).toEqual([200, 200, 200]);
      const shown = await eventually(() => {
        const calls = stub.requests.filter(({ url }) => url === INTERNAL.earlierKeys);
        return calls.length > 0 && calls;
      });
      expect(shown.map(({ body }) => body.toString())).toEqual([JSON.stringify({ key: KEY })]);
      expect(shown[0]?.headers['authorization']).toBe(`Bearer ${TOKEN}`);
    } finally {
      await gateway.stop();
      await stub.stop();
    }
  });

  it('finds the key although the control plane rehashes it between two reads', async () => {
    const gateway = await GatewayHarness.start();
    try {
      const { documents, apiKey } = gateway;
      const peppers = [gateway.master, EARLIER].map(apiKeyPepper);
      const [now = '', earlier = ''] = peppers.map((pepper) => hashApiKey(pepper, apiKey));
      const hashedAnew = documents.get(documentKey.apiKey(now)) ?? null;
      documents.remove(documentKey.apiKey(now));
      const principals = new Principals(
        {
          get: () => undefined,
          load: (key) => {
            const found = documents.get(key) ?? null;
            if (key === documentKey.apiKey(earlier) && hashedAnew)
              documents.set(documentKey.apiKey(now), hashedAnew);
            return Promise.resolve(found);
          },
          known: () => [],
        },
        {
          peppers,
          earlier: { report: () => undefined },
          blockInlineConfig: false,
          tokens: null,
          proofs: { assertProven: () => Promise.resolve(), close: () => undefined },
          accessTokens: { resolve: () => Promise.reject(new Error('No token is resolved here.')) },
          capacity: 10,
        },
      );
      expect((await principals.resolve(apiKey)).key).toBe(hashedAnew);
    } finally {
      await gateway.stop();
    }
  });
});
