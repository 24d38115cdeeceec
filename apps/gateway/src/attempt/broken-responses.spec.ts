import { gzipSync } from 'node:zlib';
import type { StubResponse, StubProvider } from '@gw/testing';
import type { GatewayHarness, LoggedRequest } from '../spec-support/harness';
import { withTwoProviders } from './spec-support/two-providers';

const JSON_HEAD = { 'content-type': 'application/json' };
const CUT: StubResponse = {
  headers: JSON_HEAD,
  steps: [{ chunk: '{"from":"' }, { waitMs: 20 }, { cut: 'reset' }],
};
const STALL: StubResponse = { headers: JSON_HEAD, steps: [{ chunk: '{"from":"' }, { hang: true }] };
/** Long enough for a busy machine to begin a response. */
const TIMEOUT_MS = 1_000;

describe('plain response of a built-in route that has begun', () => {
  let gateway: GatewayHarness;
  let first: StubProvider;
  const providers = withTwoProviders();
  beforeEach(() => {
    ({ gateway, first } = providers());
  });

  const send = (config: object, path = '/chat/completions', more: object = {}): Promise<Response> =>
    fetch(gateway.baseUrl + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': JSON.stringify(config),
      },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], ...more }),
    });
  const both = (more: object = {}): object => ({
    strategy: { mode: 'fallback' },
    targets: [{ provider: '@first', ...more }, { provider: '@second' }],
  });
  const last = async (): Promise<LoggedRequest | undefined> => (await gateway.records()).at(-1);
  const ends = async () => (await last())?.decision.attempts.map(({ end }) => end);

  it('shows an error that is nested too deeply as text', async () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    first.respond({ status: 400, headers: JSON_HEAD, body: `{"error":{"message":"no","more":${deep}}}` });
    const response = await send({ provider: '@first' });
    const { error } = (await response.json()) as { error: { provider_error: unknown } };
    expect([response.status, error.provider_error]).toEqual([400, expect.stringMatching(/^\{"error".*\[$/)]);
    expect(await last()).toMatchObject({ outcome: 'provider_error' });
  });

  describe('response that breaks off', () => {
    it('makes a fallback try the next target', async () => {
      first.respond(CUT);
      expect(await (await send(both())).json()).toEqual({ from: 'second' });
      expect(await ends()).toEqual(['interrupted', 'answered']);
    });

    it('makes a retry repeat the call', async () => {
      first.respond(CUT, { body: { from: 'first' } });
      const response = await send({ provider: '@first', retry: { attempts: 2 } });
      expect(await response.json()).toEqual({ from: 'first' });
      expect(await ends()).toEqual(['interrupted', 'answered']);
    });

    it('returns 502 with a complete error when no target is left', async () => {
      first.respond(CUT);
      const response = await send({ provider: '@first' });
      expect(response.status).toBe(502);
      expect(await response.json()).toMatchObject({ error: { type: 'provider_answer_invalid' } });
    });

    it('leaves nothing reserved in the limits of its target', async () => {
      const limited = { rateLimits: [{ type: 'requests', unit: 'rpd', value: 1 }] } as const;
      gateway.addProvider('limited', 'openai', first.origin, limited);
      first.respond(CUT, { body: { from: 'first' } });
      await (await send({ provider: '@limited' })).text();
      expect(await (await send({ provider: '@limited' })).json()).toMatchObject({
        error: { limit: { reserved: 0 } },
      });
    });

    it('loses the hedge to the other call', async () => {
      first.respond(CUT);
      const hedged = { strategy: { mode: 'hedge', hedge_delay: 1 }, targets: [{ provider: '@first' }] };
      const config = { strategy: { mode: 'fallback' }, targets: [hedged, { provider: '@second' }] };
      expect(await (await send(config)).json()).toEqual({ from: 'second' });
    });

    it('breaks off at the client on passthrough, which forwards every byte as it arrives', async () => {
      first.respond(CUT);
      const response = await send(both(), '/proxy/chat/completions');
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
    });
  });

  describe('response that stalls', () => {
    it('returns 408 after the request_timeout', async () => {
      first.respond(STALL);
      const response = await send({ provider: '@first', request_timeout: TIMEOUT_MS });
      expect(response.status).toBe(408);
      expect(await response.json()).toMatchObject({ error: { type: 'request_timeout' } });
    });

    it('makes a fallback try the next target', async () => {
      first.respond(STALL);
      expect(await (await send(both({ request_timeout: TIMEOUT_MS }))).json()).toEqual({ from: 'second' });
      expect(await ends()).toEqual(['timeout', 'answered']);
    });
  });

  describe('response forwarded before it is complete', () => {
    const firstByteOf = async (chunk: Buffer): Promise<number | undefined> => {
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      first.respond({ headers: JSON_HEAD, steps: [{ chunk }, { until: held }, { chunk: '{}' }] });
      const response = await send(both());
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const { value } = await reader.read();
      release();
      while (!(await reader.read()).done);
      return value?.[0];
    };

    it('forwards at once a response that begins with white space, which a provider sends while it is working', async () => {
      expect(await firstByteOf(Buffer.from('\n\n'))).toBe(0x0a);
    });

    it('forwards a response when it exceeds 10 MiB', async () => {
      expect(await firstByteOf(Buffer.alloc(11 * 1_048_576, '"'))).toBe(0x22);
    });
  });
});

describe('validate_response', () => {
  let gateway: GatewayHarness;
  let first: StubProvider;
  const providers = withTwoProviders();
  beforeEach(() => {
    ({ gateway, first } = providers());
  });

  const send = (config: object, path = '/chat/completions'): Promise<Response> =>
    fetch(gateway.baseUrl + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': JSON.stringify(config),
      },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }),
    });
  const fallback = (more: object): object => ({
    strategy: { mode: 'fallback' },
    targets: [{ provider: '@first' }, { provider: '@second' }],
    ...more,
  });
  const BAD: readonly (readonly [string, StubResponse, string])[] = [
    [
      'HTML',
      { headers: { 'content-type': 'text/html' }, body: '<p>Login</p>' },
      'is text/html instead of JSON',
    ],
    ['truncated JSON', { headers: JSON_HEAD, body: '{"choices":[' }, 'is not valid JSON'],
    ['an error', { body: { error: { message: 'overloaded' } } }, 'holds an error'],
  ];
  const output_guardrails = [{ contains: { words: ['bomb'], operator: 'none' } }];

  it.each(BAD)(
    'makes a fallback try the next target after a 200 with %s, only when it is set',
    async (_, response) => {
      first.respond(response);
      const moved = await send(fallback({ validate_response: true }));
      expect(await moved.json()).toEqual({ from: 'second' });
      const guarded = await send(fallback({ validate_response: true, output_guardrails }));
      expect(await guarded.json()).toMatchObject({ from: 'second' });
      const kept = await send(fallback({}));
      expect([kept.status, (await kept.text()).includes('second')]).toEqual([200, false]);
    },
  );

  it.each(BAD)('returns 502 with the reason when no target is left: %s', async (_, response, fault) => {
    first.respond(response);
    const got = await send({ provider: '@first', validate_response: true });
    expect(got.status).toBe(502);
    const { error } = (await got.json()) as { error: { type: string; message: string } };
    expect(error.type).toBe('provider_answer_invalid');
    expect(error.message).toContain(`validate_response: the response ${fault}.`);
  });

  it('counts a failure towards a breaker', async () => {
    first.respond({ body: { error: { message: 'overloaded' } } });
    const strategy = { mode: 'fallback', cb_config: { consecutive_failures: 2, cooldown_interval: 600_000 } };
    for (let sent = 0; sent < 4; sent += 1)
      await (await send(fallback({ strategy, validate_response: true }))).text();
    expect(first.requests).toHaveLength(2);
  });

  it('hands on what is larger than 10 MiB without a judgement, also when it is compressed', async () => {
    const large = Buffer.from(JSON.stringify({ error: 'x'.repeat(11 * 1_048_576) }));
    const compressed = { ...JSON_HEAD, 'content-encoding': 'gzip' };
    const responses = [
      { headers: JSON_HEAD, body: large },
      { headers: compressed, body: gzipSync(large) },
    ];
    for (const response of responses) {
      first.respond(response);
      const got = await send(fallback({ validate_response: true }));
      expect([got.status, (await got.text()).length]).toEqual([200, large.length]);
    }
    first.respond({ headers: compressed, body: gzipSync('{"error":"overloaded"}') });
    expect(await (await send(fallback({ validate_response: true }))).json()).toEqual({ from: 'second' });
  });

  it('accepts JSON without an error, streams, empty responses and passthrough', async () => {
    const good: readonly StubResponse[] = [
      { body: { error: null, choices: [] } },
      { headers: { 'content-type': 'text/event-stream' }, steps: [{ chunk: 'data: [DONE]\n\n' }] },
      { status: 204 },
    ];
    for (const response of good) {
      first.respond(response);
      const got = await send(fallback({ validate_response: true }));
      expect([got.status, (await got.text()).includes('second')]).toEqual([response.status ?? 200, false]);
    }
    first.respond({ body: { error: 'mine' } });
    const passed = await send(fallback({ validate_response: true }), '/proxy/chat/completions');
    expect(await passed.json()).toEqual({ error: 'mine' });
  });
});
