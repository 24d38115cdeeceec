import type { UsageLimitRule } from '@gw/contracts';
import { eventually, StubProvider, type StubResponse } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';

const EVENTS = { 'content-type': 'text/event-stream' };
const chunk = (text: string): string =>
  `data: ${JSON.stringify({ id: 'c', model: 'gpt-4o', choices: [{ index: 0, delta: { content: text } }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const WAIT = { timeoutMs: 90_000 };

/** A promise that the test resolves. */
function gate(): { readonly opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

const completion = (from: string): object => ({
  id: from,
  model: 'gpt-4o',
  choices: [],
  usage: { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 },
});

const BUDGET: UsageLimitRule = {
  type: 'cost',
  creditLimit: 100,
  alertThreshold: null,
  periodicReset: null,
  periodicResetDays: null,
  nextResetAt: null,
  status: 'active',
};

describe('hedged request', () => {
  let gateway: GatewayHarness;
  let first: StubProvider;
  let second: StubProvider;
  let third: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [first, second, third] = await Promise.all([
      StubProvider.start(),
      StubProvider.start(),
      StubProvider.start(),
    ]);
    gateway.addProvider('first', 'openai', first.origin);
    gateway.addProvider('second', 'openai', second.origin);
    gateway.addProvider('third', 'openai', third.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), first.stop(), second.stop(), third.stop()]);
  });

  const hedge = (own: object = {}): object => ({
    strategy: { mode: 'hedge', hedge_delay: 1, ...own },
    targets: [{ provider: '@first' }, { provider: '@second' }],
  });
  const withFallback = (own: object = {}): object => ({
    strategy: { mode: 'fallback' },
    targets: [hedge(own), { provider: '@third' }],
  });

  const send = (
    config: object,
    body: object = { model: 'gpt-4o', messages: [] },
    signal?: AbortSignal,
    key = gateway.apiKey,
  ): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': key,
        'x-gw-config': JSON.stringify(config),
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  const requested = async (config: object): Promise<unknown> =>
    ((await (await send(config)).json()) as { id: string }).id;
  const last = async (): Promise<LoggedRequest> =>
    eventually(async () => (await gateway.records()).at(-1), WAIT);
  const attempts = async () =>
    (await last()).decision.attempts.map(({ target, end, status, hedge: which }) => [
      target.replace('config.', ''),
      which,
      end,
      status,
    ]);

  it('uses the second response when the first does not arrive, and cancels the first call', async () => {
    first.respond({ neverRespond: true });
    second.respondJson(completion('second'));
    const response = await send(hedge());
    expect([await response.json(), response.headers.get('x-gw-last-used-option-index')]).toMatchObject([
      { id: 'second' },
      'config.targets[1]',
    ]);
    await eventually(() => first.lastRequest.cancelled, WAIT);
    expect(second.lastRequest.body).toEqual(first.lastRequest.body);
    expect(await attempts()).toEqual([
      ['targets[0]', 'first', 'cancelled', null],
      ['targets[1]', 'second', 'answered', 200],
    ]);
    expect((await last()).decision.routing).toEqual([{ target: 'config.targets[1]', event: 'hedged' }]);
  });

  it('uses the first response when it arrives while the second call is in flight, and cancels the second call', async () => {
    const held = gate();
    first.respond({ after: held.opened, body: completion('first') });
    second.respond({ neverRespond: true });
    const response = requested(hedge());
    await second.waitForRequest(1, WAIT.timeoutMs);
    held.open();
    expect(await response).toBe('first');
    await eventually(() => second.lastRequest.cancelled, WAIT);
    expect(await attempts()).toEqual([
      ['targets[1]', 'second', 'cancelled', null],
      ['targets[0]', 'first', 'answered', 200],
    ]);
  });

  it('charges the input of the cancelled call, as a price line of its own', async () => {
    first.respond({ neverRespond: true });
    second.respondJson(completion('second'));
    await requested(hedge());
    const { cost, usage, decision } = await last();
    const lines = decision.price?.lines ?? [];
    const wasted = lines.filter(({ unit }) => unit === 'hedge');
    expect(wasted).toEqual([{ unit: 'hedge', quantity: 1_000, pricePerMillion: 250_000_000, cost: 250_000 }]);
    expect(cost).toBe(lines.reduce((sum, line) => sum + line.cost, 0));
    expect(usage).toMatchObject({ inputTokens: 1_000, outputTokens: 10 });
  });

  it.each([
    [
      'second',
      [
        ['primary', 250_000, 0, ['first']],
        ['hedge', 260_000, 1, ['second']],
      ],
    ],
    [
      'first',
      [
        ['hedge', 250_000, 0, ['second']],
        ['primary', 260_000, 1, ['first']],
      ],
    ],
  ])(
    'charges each call to its own line and to the limits of its own target, when the %s responds',
    async (winner, charges) => {
      for (const [slug, { origin }] of [
        ['first', first],
        ['second', second],
      ] as const)
        gateway.addProvider(slug, 'openai', origin, { usageLimits: [BUDGET] });
      const held = gate();
      first.respond(
        winner === 'first' ? { after: held.opened, body: completion('first') } : { neverRespond: true },
      );
      second.respond(winner === 'second' ? { body: completion('second') } : { neverRespond: true });
      const response = requested(hedge());
      await second.waitForRequest(1, WAIT.timeoutMs);
      held.open();
      expect(await response).toBe(winner);
      const { cost, decision } = await last();
      expect(cost).toBe(510_000);
      expect(
        decision.charges?.map(({ line, cost: charged, requests, counters }) => [
          line,
          charged,
          requests,
          counters.map(([key]) => /provider-(\w+)-/.exec(key)?.[1]),
        ]),
      ).toEqual(charges);
    },
  );

  it('makes one call if the first responds in time, and records no hedge', async () => {
    first.respondJson(completion('first'));
    expect(await requested(hedge({ hedge_delay: 60_000 }))).toBe('first');
    expect(await attempts()).toEqual([['targets[0]', undefined, 'answered', 200]]);
    expect(second.connections).toBe(0);
  });

  it('waits for the second call if the first fails while the second is in flight', async () => {
    const [one, other] = [gate(), gate()];
    first.respond({ after: one.opened, status: 500, body: {} });
    second.respond({ after: other.opened, body: completion('second') });
    const response = requested(withFallback());
    await second.waitForRequest(1, WAIT.timeoutMs);
    one.open();
    await eventually(() => first.lastRequest.finished, WAIT);
    other.open();
    expect(await response).toBe('second');
    expect(third.connections).toBe(0);
    expect((await attempts()).map(([, which, end]) => [which, end])).toEqual([
      ['first', 'status'],
      ['second', 'answered'],
    ]);
  });

  it('continues by the usual rules if both calls fail, or if the first fails before the second starts', async () => {
    const one = gate();
    first.respond({ after: one.opened, status: 500, body: {} });
    second.respond({ status: 503, body: {} });
    third.respondJson(completion('third'));
    const response = requested(withFallback());
    await eventually(() => second.requests[0]?.finished, WAIT);
    one.open();
    expect(await response).toBe('third');
    expect((await attempts()).map(([target, , end, status]) => [target, end, status])).toEqual([
      ['targets[0].targets[1]', 'status', 503],
      ['targets[0].targets[0]', 'status', 500],
      ['targets[1]', 'answered', 200],
    ]);
    first.respond({ status: 500, body: {} });
    expect(await requested(withFallback({ hedge_delay: 60_000 }))).toBe('third');
    expect(second.requests).toHaveLength(1);
  });

  it('returns the last failure when no target is left', async () => {
    const one = gate();
    first.respond({ after: one.opened, status: 500, body: { error: { message: 'first is down' } } });
    second.respond({ status: 503, body: {} });
    const answer = send(hedge());
    await eventually(() => second.requests[0]?.finished, WAIT);
    one.open();
    const response = await answer;
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('first is down')]);
  });

  it('selects between streams at their first event, not at a response head or a comment', async () => {
    first.respond({ headers: EVENTS, steps: [{ chunk: ': thinking\n\n' }, { hang: true }] });
    second.respond({ headers: EVENTS, steps: [{ chunk: chunk('second') + DONE }] });
    const response = await send(hedge(), { model: 'gpt-4o', messages: [], stream: true });
    expect(await response.text()).toBe(chunk('second') + DONE);
    await eventually(() => first.lastRequest.cancelled, WAIT);
    expect(await attempts()).toEqual([
      ['targets[0]', 'first', 'cancelled', null],
      ['targets[1]', 'second', 'answered', 200],
    ]);
  });

  it('forwards the complete stream, including what arrived before the selection', async () => {
    const steps = ['a', 'b'].map((text) => ({ chunk: chunk(text) }));
    first.respond({ neverRespond: true });
    second.respond({ headers: EVENTS, steps: [{ chunk: ': hm\n\n' }, ...steps, { chunk: DONE }] });
    const response = await send(hedge(), { model: 'gpt-4o', messages: [], stream: true });
    expect(await response.text()).toBe(`: hm\n\n${chunk('a')}${chunk('b')}${DONE}`);
  });

  it('continues with the next target after a stream that breaks before its first event, even if no hedge delay is known', async () => {
    first.respond({ headers: EVENTS, steps: [{ cut: 'end' }] });
    third.respond({ headers: EVENTS, steps: [{ chunk: chunk('third') + DONE }] });
    for (const own of [{ hedge_delay: 60_000 }, { hedge_delay: undefined }]) {
      const response = await send(withFallback(own), { model: 'gpt-4o', messages: [], stream: true });
      expect(await response.text()).toBe(chunk('third') + DONE);
    }
    expect(second.connections).toBe(0);
  });

  it('cancels both calls when the client disconnects', async () => {
    first.respond({ neverRespond: true });
    second.respond({ neverRespond: true });
    const client = new AbortController();
    const response = send(hedge(), undefined, client.signal);
    await second.waitForRequest(1, WAIT.timeoutMs);
    client.abort();
    await expect(response).rejects.toThrow();
    await eventually(() => first.lastRequest.cancelled && second.lastRequest.cancelled, WAIT);
    await eventually(async () => (await last()).outcome === 'client_closed', WAIT);
    expect((await attempts()).map(([, , end]) => end)).toEqual(['client_closed', 'client_closed']);
  });

  it.each([
    [1, 30_000],
    [2, 1],
  ])(
    'charges estimates for the %d calls that a disconnect cuts, as their providers do',
    async (calls, delayMs) => {
      const key = 'limitedKey00000000000000000000HD';
      gateway.addKey(key, { usageLimits: [BUDGET] });
      gateway.addProvider('first', 'openai', first.origin, { usageLimits: [BUDGET] });
      first.respond(
        { neverRespond: true },
        { body: { ...completion('first'), usage: { prompt_tokens: 0, completion_tokens: 0 } } },
      );
      second.respond({ neverRespond: true });
      const body = { model: 'gpt-4o', max_tokens: 1_000, messages: [] };
      const estimate = 1_000 * 1_000 + Math.ceil(JSON.stringify(body).length / 3) * 250;
      const client = new AbortController();
      const response = send(hedge({ hedge_delay: delayMs }), body, client.signal, key);
      const left = expect(response).rejects.toThrow();
      await (calls === 1 ? first : second).waitForRequest(1, WAIT.timeoutMs);
      client.abort();
      await left;
      const { cost, decision } = await last();
      expect(cost).toBe(calls * estimate);
      expect(decision.charges?.map((charge) => [charge.cost, charge.flags])).toEqual(
        Array.from({ length: calls }, () => [estimate, ['estimated']]),
      );
      // The next request shows what the budgets have counted.
      await (await send({ provider: '@first' }, undefined, undefined, key)).text();
      await eventually(async () => (await gateway.records()).length === 2, WAIT);
      const { limits } = (await last()).decision;
      expect(limits.map(({ scope, used }) => [scope, used])).toEqual([
        ['api_key', calls * estimate],
        ['provider', estimate],
      ]);
    },
  );

  it('makes no second call once the hedge budget is used up, and records that', async () => {
    const held = gate();
    first.respond({ neverRespond: true }, { after: held.opened, body: completion('first') });
    second.respondJson(completion('second'));
    expect(await requested(hedge({ hedge_percentage: 1 }))).toBe('second');
    const response = requested(hedge({ hedge_percentage: 1 }));
    await first.waitForRequest(2, WAIT.timeoutMs);
    // A later request that may be hedged shows that this one’s delay is over.
    third.respond({ neverRespond: true });
    await requested({
      strategy: { mode: 'hedge', hedge_delay: 1 },
      targets: [{ provider: '@third' }, { provider: '@second' }],
    });
    held.open();
    expect(await response).toBe('first');
    expect(second.requests).toHaveLength(2);
    expect((await last()).decision.routing).toEqual([
      { target: 'config.targets[1]', event: 'hedge_budget_spent' },
    ]);
  });

  it.each<readonly [string, string, () => { headers: Record<string, string>; body: string | FormData }]>([
    ['a form', '/audio/transcriptions', () => ({ headers: {}, body: formOf({ model: 'whisper-1' }) })],
    [
      'bytes that are not JSON',
      '/proxy/upload',
      () => ({ headers: { 'content-type': 'application/octet-stream' }, body: 'bytes' }),
    ],
    [
      'a request that creates a lasting object',
      '/batches',
      () => ({
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          input_file_id: 'f',
          endpoint: '/v1/chat/completions',
          completion_window: '24h',
        }),
      }),
    ],
  ])('never sends %s twice', async (_, path, made) => {
    const held = gate();
    const slow: StubResponse = { after: held.opened, body: { id: 'upload' } };
    first.respond(slow, { neverRespond: true });
    second.respondJson(completion('second'));
    const { headers, body } = made();
    const upload = fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-config': JSON.stringify(hedge()), ...headers },
      body,
    });
    await first.waitForRequest(1, WAIT.timeoutMs);
    // If the upload were hedged, its second call would precede that of a later request.
    expect(await requested(hedge())).toBe('second');
    held.open();
    expect([(await upload).status, second.requests.length]).toEqual([200, 1]);
  });
});

function formOf(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob(['sound']), 'a.wav');
  return form;
}
