import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import { eventually, StubProvider, type StubResponse } from '@gw/testing';
import { TestClient, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';

const PATIENTLY = { timeoutMs: 90_000 };
const EVENTS = { 'content-type': 'text/event-stream' };
const plain = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;
const chunk = (content: string): string => plain({ choices: [{ index: 0, delta: { content } }] });
const named = (body: { type: string }): string => `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;

interface Case {
  readonly path: string;
  readonly provider: string;
  readonly response: StubResponse;
  readonly streams: boolean;
}

/** Responses that contain the forbidden word; streams have it split across pieces. */
const CASES: Readonly<Record<string, Case>> = {
  'a whole response': {
    path: '/chat/completions',
    provider: '@main',
    response: { body: { choices: [{ index: 0, message: { role: 'assistant', content: 'a secret' } }] } },
    streams: false,
  },
  'a compressed response': {
    path: '/chat/completions',
    provider: '@main',
    response: {
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify({ choices: [{ index: 0, message: { content: 'a secret' } }] })),
    },
    streams: false,
  },
  'a response of an unknown route': {
    path: '/odd/route',
    provider: '@main',
    response: { body: { deep: ['a secret'] } },
    streams: false,
  },
  'a stream of chat completions': {
    path: '/chat/completions',
    provider: '@main',
    response: { headers: EVENTS, body: `${chunk('a sec')}${chunk('ret')}data: [DONE]\n\n` },
    streams: true,
  },
  'a stream of messages': {
    path: '/messages',
    provider: '@claude',
    response: {
      headers: EVENTS,
      body: [
        { type: 'message_start', message: { id: 'm', model: 'c', usage: { input_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a sec' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ret' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
        { type: 'message_stop' },
      ]
        .map(named)
        .join(''),
    },
    streams: true,
  },
  'a stream of responses': {
    path: '/responses',
    provider: '@main',
    response: {
      headers: EVENTS,
      body: [
        { type: 'response.output_text.delta', output_index: 0, delta: 'a sec' },
        { type: 'response.output_text.delta', output_index: 0, delta: 'ret' },
        { type: 'response.completed', response: { id: 'r', output: [] } },
      ]
        .map(named)
        .join(''),
    },
    streams: true,
  },
  'a stream that is compressed although identity was requested': {
    path: '/chat/completions',
    provider: '@main',
    response: {
      headers: { ...EVENTS, 'content-encoding': 'gzip' },
      body: gzipSync(`${chunk('a sec')}${chunk('ret')}data: [DONE]\n\n`),
    },
    streams: true,
  },
  'a stream of an unknown route': {
    path: '/odd/route',
    provider: '@main',
    response: { headers: EVENTS, body: plain({ t: 'a sec' }) + plain({ t: 'ret' }) },
    streams: true,
  },
};

const no = (word: string, more: object = {}): object => ({
  deny: true,
  async: true,
  ...more,
  contains: { words: [word], operator: 'none' },
});

describe('asynchronous guardrails', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let hook: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [stub, hook] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('claude', 'anthropic', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop(), hook.stop()]);
  });

  const send = (
    { path, provider, streams }: Omit<Case, 'response'>,
    guardrails: object,
    more: object = {},
  ): Promise<TestResponse> =>
    asker.ask(
      path,
      {
        model: 'm',
        max_tokens: 9,
        ...(streams && { stream: true }),
        messages: [{ role: 'user', content: 'Hi' }],
        input: 'Hi',
        ...more,
      },
      { config: { provider, ...guardrails } },
    );
  const recordsOf = (count: number): Promise<LoggedRequest[]> =>
    eventually(async () => {
      const records = await gateway.records();
      return records.length >= count ? records : undefined;
    }, PATIENTLY);

  /**
   * Compressed responses are decoded outside the event loop, so their verdict may arrive with the
   * amended record.
   */
  const lastVerdicts = (id = 'inline'): Promise<LoggedRequest['decision']['guardrails']> =>
    eventually(async () => {
      const verdicts = (await gateway.records()).at(-1)?.decision.guardrails;
      return verdicts?.some((verdict) => verdict.id === id) ? verdicts : undefined;
    }, PATIENTLY);

  describe.each(Object.entries(CASES))('judging %s', (_what, each) => {
    it('[GRD-02] changes no byte, and logs the verdict', async () => {
      stub.respond(each.response);
      const bare = await send(each, {});
      const reply = await send(each, { output_guardrails: [no('secret')] });
      expect([reply.status, reply.bytes.equals(bare.bytes)]).toEqual([200, true]);
      expect(await lastVerdicts()).toMatchObject([
        { stage: 'output', async: true, verdict: false, checks: [{ error: null }] },
      ]);
      await send(each, { output_guardrails: [no('nowhere', { id: 'other' })] });
      expect(await lastVerdicts('other')).toMatchObject([{ verdict: true }]);
    });

    it('[GRD-02] does not delay the response; slow verdicts arrive with an amended record', async () => {
      stub.respond(each.response);
      let release: () => void = () => undefined;
      const until = new Promise<void>((resolve) => (release = resolve));
      const verdict = { chunk: JSON.stringify({ verdict: false }) };
      hook.respond({ headers: { 'content-type': 'application/json' }, steps: [{ until }, verdict] });
      const webhook = { webhookURL: hook.origin, executeOnProxy: true, timeout: 20_000 };
      const guardrail = { deny: true, async: true, webhook };
      const reply = await send(each, { input_guardrails: [guardrail], output_guardrails: [guardrail] });
      // Both webhooks were called, neither has responded, and the client has the whole response.
      await hook.waitForRequest(2, PATIENTLY.timeoutMs);
      expect([reply.status, (await gateway.records()).length]).toEqual([200, 1]);
      release();
      const [first, second] = await recordsOf(2);
      expect(first?.decision.guardrails).toEqual([]);
      expect(second).toEqual({
        ...first,
        amends: true,
        requestBody: null,
        responseBody: null,
        decision: { ...first?.decision, guardrails: expect.any(Array) as unknown },
      });
      const stages = second?.decision.guardrails.map(({ stage, verdict }) => [stage, verdict]);
      expect(stages?.sort()).toEqual([
        ['input', false],
        ['output', false],
      ]);
    });
  });

  it('forwards stream pieces as they arrive, before the provider has finished', async () => {
    stub.respond({
      headers: EVENTS,
      steps: [{ chunk: chunk('one') }, { chunk: chunk('two') }, { hang: true }],
    });
    const response = await asker.open(
      '/chat/completions',
      { model: 'm', stream: true, messages: [] },
      { config: { provider: '@main', output_guardrails: [no('secret')] } },
    );
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!text.includes('two')) text += Buffer.from((await reader.read()).value ?? []).toString();
    await reader.cancel();
    // The part that the client received before it disconnected is judged.
    const [record] = await recordsOf(1);
    expect(record).toMatchObject({
      outcome: 'client_closed',
      decision: { guardrails: [{ stage: 'output', verdict: true, async: true }] },
    });
  });

  it('also judges the part of a stream that a synchronous guardrail denies', async () => {
    stub.respond(CASES['a stream of chat completions']?.response as StubResponse);
    const each = CASES['a stream of chat completions'] as Case;
    const reply = await send(each, {
      output_guardrails: [no('secret', { async: false }), no('secret', { id: 'background' })],
    });
    expect(reply.text).toContain('hooks_failed');
    const [record] = await recordsOf(1);
    expect(record?.decision.guardrails).toMatchObject([
      { async: false, verdict: false },
      { id: 'background', async: true, verdict: false },
    ]);
  });

  it('cannot decide about a response that is too long, which is sent whole', async () => {
    const text = 'long '.repeat(300_000);
    const steps = Array.from({ length: 15 }, () => ({ chunk: chunk(text.slice(0, 100_000)) }));
    stub.respond({ headers: EVENTS, steps: [...steps, { chunk: 'data: [DONE]\n\n' }] });
    const reply = await send(CASES['a stream of chat completions'] as Case, {
      output_guardrails: [no('secret')],
    });
    expect(reply.text).toContain('[DONE]');
    const record = (await gateway.records()).at(-1);
    expect(record?.decision.guardrails).toMatchObject([
      { verdict: false, checks: [{ error: 'The response is longer than guardrails can hold back.' }] },
    ]);
  });
});
