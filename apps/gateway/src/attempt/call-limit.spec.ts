import { setTimeout as delay } from 'node:timers/promises';
import { withTwoProviders } from './spec-support/two-providers';

const CALLS_MAX = 4;
const limited = { event: 'call_limit_reached' };

describe('maximum number of provider calls of one request', () => {
  const providers = withTwoProviders({ MAX_CALLS_PER_REQUEST: String(CALLS_MAX) });

  const send = (config: object, path = '/chat/completions', method = 'POST'): Promise<Response> => {
    const { gateway } = providers();
    const headers = {
      'content-type': 'application/json',
      'x-gw-api-key': gateway.apiKey,
      'x-gw-config': JSON.stringify(config),
    };
    const body = JSON.stringify({ model: 'gpt-4o', messages: [] });
    return fetch(gateway.baseUrl + path, { method, headers, ...(method !== 'GET' && { body }) });
  };
  const calls = (): number => providers().first.requests.length + providers().second.requests.length;
  const routing = async (): Promise<unknown> =>
    (await providers().gateway.records()).at(-1)?.decision.routing;
  /** A hundred targets with five retries each. */
  const amplified = (name: string): object => ({
    strategy: { mode: 'fallback' },
    targets: Array.from({ length: 100 }, () => ({
      provider: name,
      retry: { attempts: 5, on_status_codes: [446, 503], use_retry_after_header: true },
    })),
  });
  const down = { status: 503, headers: { 'retry-after': '0' }, body: { error: { message: 'down' } } };

  it('ends all targets and retries at the limit, and returns the last response', async () => {
    const { first } = providers();
    first.respond(down);
    const response = await send(amplified('@first'));
    expect([response.status, calls()]).toEqual([503, CALLS_MAX]);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('down') as string },
    });
    expect(await routing()).toMatchObject([limited]);
  });

  it('ends at the limit when no provider responds, and returns the last error', async () => {
    const { first } = providers();
    first.respond({ raw: '' });
    const targets = Array.from({ length: 9 }, () => ({ provider: '@first' }));
    const response = await send({ strategy: { mode: 'fallback' }, targets });
    expect([response.status, calls()]).toEqual([502, CALLS_MAX]);
    expect(await routing()).toMatchObject([limited]);
  });

  it('counts requests that the gateway repeats itself', async () => {
    const { first } = providers();
    first.respond({ body: { ok: true } }, { raw: '' });
    await (await send({ provider: '@first' })).text();
    const targets = Array.from({ length: 9 }, () => ({ provider: '@first' }));
    const response = await send({ strategy: { mode: 'fallback' }, targets }, '/files/f-1', 'GET');
    expect([response.status, calls()]).toEqual([502, 1 + CALLS_MAX]);
  });

  it('does not repeat the last call by itself', async () => {
    const { first } = providers();
    const failures = Array.from({ length: CALLS_MAX - 1 }, () => down);
    first.respond({ body: { ok: true } }, ...failures, { raw: '' });
    await (await send({ provider: '@first' })).text();
    const targets = Array.from({ length: CALLS_MAX }, () => ({ provider: '@first' }));
    const response = await send({ strategy: { mode: 'fallback' }, targets }, '/files/f-1', 'GET');
    expect([response.status, calls()]).toEqual([502, 1 + CALLS_MAX]);
  });

  it('starts no second call of a hedge when the first call is the last one allowed', async () => {
    const { first, second } = providers();
    first.respond(down, down, down, { body: { from: 'first' }, after: delay(500) });
    const hedge = {
      strategy: { mode: 'hedge', hedge_delay: 1 },
      targets: [{ provider: '@first' }, { provider: '@second' }],
    };
    const targets = [...Array.from({ length: CALLS_MAX - 1 }, () => ({ provider: '@first' })), hedge];
    const response = await send({ strategy: { mode: 'fallback' }, targets });
    expect([await response.json(), calls()]).toEqual([{ from: 'first' }, CALLS_MAX]);
    expect(second.requests).toEqual([]);
    expect(await routing()).toMatchObject([limited]);
  });

  it('reports nothing below the limit', async () => {
    const { first } = providers();
    first.respond(down);
    const targets = [
      ...Array.from({ length: CALLS_MAX - 1 }, () => ({ provider: '@first' })),
      { provider: '@second' },
    ];
    const response = await send({ strategy: { mode: 'fallback' }, targets });
    expect([response.status, calls(), await routing()]).toEqual([200, CALLS_MAX, undefined]);
  });
});
