import OpenAI from 'openai';
import type { StubStep } from '@gw/testing';
import { StubProvider } from '@gw/testing';
import { TestClient, type TestResponse } from '../../spec-support/test-client';
import { GatewayHarness } from '../../spec-support/harness';

// A busy machine may take several times as long.
jest.setTimeout(60_000);

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const REQUESTED = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };
const DENYING = { deny: true, wordCount: { maxWords: 1 } };

describe('stream that a guardrail holds back whole', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const ask = (guardrail: object, steps: readonly StubStep[]): Promise<TestResponse> => {
    stub.respond({ headers: { 'content-type': 'text/event-stream' }, steps });
    const config = { provider: '@main', output_guardrails: [guardrail] };
    return asker.ask('/chat/completions', { ...REQUESTED, stream: true }, { config });
  };
  const whole = [{ chunk: chunk('two words') + DONE }];

  it('returns 446 for a denied stream, which the official client does not retry', async () => {
    stub.respond({ headers: { 'content-type': 'text/event-stream' }, steps: whole });
    const config = { provider: '@main', output_guardrails: [DENYING] };
    const openai = new OpenAI({
      apiKey: gateway.apiKey,
      baseURL: gateway.baseUrl,
      maxRetries: 2,
      defaultHeaders: { 'x-gw-config': JSON.stringify(config) },
    });
    const before = stub.requests.length;
    const made = openai.chat.completions.create({ ...REQUESTED, stream: true });
    await expect(made).rejects.toMatchObject({ status: 446, type: 'hooks_failed' });
    expect(stub.requests.length - before).toBe(1);
  });

  it('returns 446 for a denied stream, also after comments of the provider', async () => {
    const { status, text } = await ask(DENYING, [{ chunk: ': PROCESSING\n\n' }, ...whole]);
    expect([status, text.includes('PROCESSING')]).toEqual([446, false]);
  });

  it('returns 246 for a marked stream', async () => {
    const { status, text } = await ask({ on_stream: 'hold', wordCount: { maxWords: 1 } }, whole);
    expect([status, text.includes('two words'), text.includes('"hook_results"')]).toEqual([246, true, true]);
  });

  it('keeps the status of a stream that passes or that its provider breaks off', async () => {
    const passed = await ask({ deny: true, wordCount: { maxWords: 9 } }, whole);
    expect([passed.status, passed.text]).toEqual([200, chunk('two words') + DONE]);
    const broken = await ask(DENYING, [{ chunk: chunk('two words') }, { cut: 'end' }]);
    expect([broken.status, broken.text.includes('stream_interrupted')]).toEqual([200, true]);
    expect(broken.text).not.toContain('two words');
  });

  it('returns an error response for a stream that exceeds the bytes that may be held back', async () => {
    const { status, text } = await ask({ deny: true, wordCount: { maxWords: 9_000_000 } }, [
      { chunk: chunk('x'.repeat(1_000_001)) + DONE },
    ]);
    expect([status, JSON.parse(text)]).toMatchObject([446, { error: { type: 'hooks_failed' } }]);
  });
});

describe('stream that a guardrail holds back for longer than the interval of keep-alive comments', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeAll(async () => {
    gateway = await GatewayHarness.start({ STREAM_KEEP_ALIVE: '120' });
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  it('sends a denial as an error event after a keep-alive comment has started the stream', async () => {
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    stub.respond({
      headers: { 'content-type': 'text/event-stream' },
      steps: [{ chunk: chunk('two ') }, { until }, { chunk: chunk('words') + DONE }],
    });
    const config = { provider: '@main', output_guardrails: [DENYING] };
    const response = await asker.open('/chat/completions', { ...REQUESTED, stream: true }, { config });
    expect(response.status).toBe(200);
    release();
    const text = await response.text();
    expect([
      text.startsWith(': keep-alive\n\n'),
      text.includes('hooks_failed'),
      text.includes('"content"'),
    ]).toEqual([true, true, false]);
  });
});
