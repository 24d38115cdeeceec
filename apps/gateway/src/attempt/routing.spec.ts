import { eventually, type StubProvider } from '@gw/testing';
import type { GatewayHarness, LoggedRequest } from '../spec-support/harness';
import { withTwoProviders } from './spec-support/two-providers';

/** Longer than any test, so an opened breaker stays open. */
const COOLDOWN_MS = 120_000;
/** For the test that waits for the end of the cooldown. */
const SHORT_COOLDOWN_MS = 1_000;

describe('routing state shared by requests', () => {
  let gateway: GatewayHarness;
  let first: StubProvider;
  const providers = withTwoProviders();
  beforeEach(() => {
    ({ gateway, first } = providers());
  });

  const configOf = (cooldown: number): object => ({
    strategy: {
      mode: 'fallback',
      cb_config: { consecutive_failures: 1, cooldown_interval: cooldown },
    },
    targets: [{ provider: '@first' }, { provider: '@second' }],
  });
  const send = (signal?: AbortSignal, config = configOf(COOLDOWN_MS)): Promise<Response> =>
    fetch(`${gateway.baseUrl}/any/endpoint`, {
      method: 'POST',
      headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-config': JSON.stringify(config) },
      body: '{}',
      ...(signal && { signal }),
    });
  const last = async (): Promise<LoggedRequest | undefined> => (await gateway.records()).at(-1);
  const events = async () => (await last())?.decision.routing;

  it('skips a target whose breaker is open, and logs the reason', async () => {
    first.respond({ status: 500 });
    expect(await (await send()).json()).toEqual({ from: 'second' });
    expect(await events()).toEqual([{ target: 'config.targets[0]', event: 'breaker_opened' }]);
    expect(await (await send()).json()).toEqual({ from: 'second' });
    expect(await events()).toEqual([{ target: 'config.targets[0]', event: 'breaker_open' }]);
    expect((await last())?.decision.attempts.map(({ target }) => target)).toEqual(['config.targets[1]']);
    expect(first.requests).toHaveLength(1);
  });

  it('logs no routing events when only the config decided', async () => {
    first.respondJson({ from: 'first' });
    await send();
    expect(Object.keys((await last())?.decision ?? {})).not.toContain('routing');
  });

  it('probes a failed target again when the client of the first probe disconnected, which is not evidence', async () => {
    const config = configOf(SHORT_COOLDOWN_MS);
    first.respond({ status: 500 }, { neverRespond: true }, { body: { from: 'first' } });
    await send(undefined, config);
    await eventually(
      async () => {
        const leaving = new AbortController();
        const requested = send(leaving.signal, config).catch(() => null);
        const isProbe = await Promise.race([
          requested.then(() => false),
          first.waitForRequest(2).then(() => true),
        ]);
        leaving.abort();
        await requested;
        return isProbe;
      },
      { timeoutMs: 90_000 },
    );
    await eventually(async () => (await last())?.outcome === 'client_closed');
    expect(await events()).toEqual([{ target: 'config.targets[0]', event: 'breaker_probe' }]);
    expect(await (await send(undefined, config)).json()).toEqual({ from: 'first' });
    expect((await events())?.map(({ event }) => event)).toEqual(['breaker_probe', 'breaker_closed']);
  });

  it.each([undefined, [503]])(
    '[SVC-05] falls back from a target whose limit or budget refuses the request, with the status list %j',
    async (codes) => {
      const limited = { rateLimits: [{ type: 'requests', unit: 'rpd', value: 1 }] } as const;
      gateway.addProvider('limited', 'openai', first.origin, limited);
      gateway.addProvider('spent', 'openai', first.origin, { status: 'exhausted' });
      first.respondJson({ from: 'first' });
      const over = (provider: string): object => ({
        strategy: { mode: 'fallback', ...(codes && { on_status_codes: codes }) },
        targets: [{ provider }, { provider: '@second' }],
      });
      const from = async (provider: string): Promise<unknown> =>
        (await send(undefined, over(provider))).json();
      expect(await from('@limited')).toEqual({ from: 'first' });
      expect(await from('@limited')).toEqual({ from: 'second' });
      expect(await from('@spent')).toEqual({ from: 'second' });
      expect((await last())?.decision.attempts).toMatchObject([
        { end: 'skipped', status: null },
        { end: 'answered', status: 200 },
      ]);
    },
  );
});
