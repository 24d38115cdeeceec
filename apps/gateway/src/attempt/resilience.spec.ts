import type { StubResponse, StubProvider } from '@gw/testing';
import type { GatewayHarness } from '../spec-support/harness';
import { withTwoProviders } from './spec-support/two-providers';

const REQUESTS = 200;
const AT_A_TIME = 20;

describe('failing provider', () => {
  let gateway: GatewayHarness;
  let first: StubProvider;
  const providers = withTwoProviders();
  beforeEach(() => {
    ({ gateway, first } = providers());
  });

  const both = [{ provider: '@first' }, { provider: '@second' }];
  const send = async (config: object): Promise<{ readonly status: number; readonly text: string }> => {
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': JSON.stringify(config),
      },
      body: JSON.stringify({ model: 'gpt-4o', messages: [] }),
    });
    return { status: response.status, text: await response.text() };
  };

  it('fails no client behind a fallback when three of ten provider calls fail in any way', async () => {
    const ways: readonly StubResponse[] = [
      { status: 503, body: {} },
      { status: 500, body: 'no JSON' },
      { status: 429, headers: { 'retry-after': '60' }, body: {} },
      { raw: 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n' },
      { raw: '' },
    ];
    let calls = 0;
    let failures = 0;
    first.respond(() => {
      calls += 1;
      return calls % 10 < 3 ? (ways[failures++ % ways.length] as StubResponse) : { body: { from: 'first' } };
    });
    const config = { strategy: { mode: 'fallback' }, targets: both };
    const responses: { readonly status: number; readonly text: string }[] = [];
    const worker = async (): Promise<void> => {
      while (responses.length < REQUESTS) responses.push(await send(config));
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, worker));
    const kinds = new Set(responses.map(({ status, text }) => `${String(status)} ${text}`));
    expect(kinds).toEqual(new Set(['200 {"from":"first"}', '200 {"from":"second"}']));
    expect(failures).toBeGreaterThan(ways.length);
  });

  it('makes no call to a provider that stopped responding once its breaker is open, and delays no caller', async () => {
    first.respond({ neverRespond: true });
    const config = {
      strategy: { mode: 'fallback', cb_config: { consecutive_failures: 2, cooldown_interval: 600_000 } },
      request_timeout: 20_000,
      targets: [{ provider: '@first', request_timeout: 500 }, { provider: '@second' }],
    };
    for (let sent = 0; sent < 10; sent += 1) {
      expect(await send(config)).toEqual({ status: 200, text: '{"from":"second"}' });
    }
    expect(first.requests).toHaveLength(2);
    const records = await gateway.records();
    const tried = records.map(({ decision }) => decision.attempts.map(({ end }) => end).join());
    expect(tried).toEqual([
      ...Array<string>(2).fill('timeout,answered'),
      ...Array<string>(8).fill('answered'),
    ]);
  });
});
