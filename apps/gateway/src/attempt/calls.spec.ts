import type { StubProvider } from '@gw/testing';
import type { GatewayHarness, LoggedRequest } from '../spec-support/harness';
import { withTwoProviders } from './spec-support/two-providers';

const FALLBACK = { mode: 'fallback' };
const CHAT = JSON.stringify({ model: 'gpt-4o', messages: [] });

describe('provider calls', () => {
  let gateway: GatewayHarness;
  let first: StubProvider;
  let second: StubProvider;
  const providers = withTwoProviders();
  beforeEach(() => {
    ({ gateway, first, second } = providers());
  });

  const send = (
    path: string,
    headers: Readonly<Record<string, string>>,
    method = 'POST',
    body: string | null = CHAT,
  ): Promise<Response> =>
    fetch(gateway.baseUrl + path, {
      method,
      headers: { 'content-type': 'application/json', 'x-gw-api-key': gateway.apiKey, ...headers },
      ...(body !== null && { body }),
    });
  const toFirst = { 'x-gw-provider': '@first' };
  const last = async (): Promise<LoggedRequest | undefined> => (await gateway.records()).at(-1);

  describe('provider calls when the provider closes a reused connection without a response', () => {
    /** Sends one response, so that the connection is reused, and then none. */
    const closeAfterFirst = async (): Promise<void> => {
      first.respond({ body: { ok: true } }, { raw: '' });
      await (await send('/chat/completions', toFirst)).text();
    };
    const seen = (): number => first.requests.length - 1;

    it.each(['/batches', '/fine_tuning/jobs', '/threads/t/runs', '/images/generations', '/chat/completions'])(
      'calls the provider once for POST %s, and records one attempt',
      async (path) => {
        await closeAfterFirst();
        const response = await send(path, toFirst);
        expect([response.status, seen(), first.connections]).toEqual([502, 1, 1]);
        expect((await last())?.decision.attempts).toMatchObject([{ end: 'unreachable', retry: 0 }]);
      },
    );

    it.each([
      ['GET', 2],
      ['PUT', 2],
      ['DELETE', 2],
      ['POST', 1],
      ['PATCH', 1],
    ])('records an attempt for each call: %s is sent %i times', async (method, times) => {
      await closeAfterFirst();
      const response = await send('/files/f-1', toFirst, method, method === 'GET' ? null : '{}');
      expect([response.status, seen()]).toEqual([502, times]);
      const { attempts } = (await last())?.decision ?? {};
      expect(attempts).toMatchObject(Array<object>(times).fill({ end: 'unreachable', provider: 'openai' }));
    });

    it('sends a GET again without using up a retry', async () => {
      first.respond({ body: { ok: true } }, { raw: '' }, { body: { again: true } });
      await (await send('/chat/completions', toFirst)).text();
      const response = await send('/files/f-1', toFirst, 'GET', null);
      expect([await response.json(), seen()]).toEqual([{ again: true }, 2]);
      expect((await last())?.decision.attempts).toMatchObject([
        { end: 'unreachable', retry: 0 },
        { end: 'answered', retry: 0 },
      ]);
    });

    it('sends a POST again if the config has a retry', async () => {
      first.respond({ body: { ok: true } }, { raw: '' }, { body: { again: true } });
      await (await send('/chat/completions', toFirst)).text();
      const config = { provider: '@first', retry: { attempts: 1 } };
      const response = await send('/chat/completions', { 'x-gw-config': JSON.stringify(config) });
      expect([await response.json(), seen()]).toEqual([{ again: true }, 2]);
      expect((await last())?.decision.attempts).toMatchObject([
        { end: 'unreachable', retry: 0 },
        { end: 'answered', retry: 1 },
      ]);
    });
  });

  describe('provider calls when the wait before a retry exceeds request_timeout', () => {
    // 50 seconds, which is more than the whole request_timeout of these tests.
    const wait = { status: 503, headers: { 'retry-after': '50' }, body: {} };
    const targets = (more: object): object => ({
      strategy: FALLBACK,
      targets: [
        { provider: '@first', retry: { attempts: 4, use_retry_after_header: true }, ...more },
        { provider: '@second' },
      ],
    });

    it.each([
      ['config', targets({ request_timeout: 20_000 }), {}],
      ['header', targets({}), { 'x-gw-request-timeout': '20000' }],
    ])('falls back instead of retrying, with request_timeout in the %s', async (_by, config, headers) => {
      first.respond(wait);
      const response = await send('/chat/completions', { 'x-gw-config': JSON.stringify(config), ...headers });
      expect(await response.json()).toEqual({ from: 'second' });
      expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
      expect((await last())?.decision.routing).toMatchObject([{ event: 'wait_budget_spent' }]);
    });

    it('returns the first response when no other target is left', async () => {
      first.respond(wait);
      const config = {
        provider: '@first',
        request_timeout: 20_000,
        retry: { attempts: 1, use_retry_after_header: true },
      };
      const response = await send('/chat/completions', { 'x-gw-config': JSON.stringify(config) });
      expect([response.status, first.requests.length]).toEqual([503, 1]);
    });
  });
});
