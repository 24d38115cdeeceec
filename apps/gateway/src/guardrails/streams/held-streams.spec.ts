import OpenAI from 'openai';
import type { StubStep } from '@gw/testing';
import type { TestResponse } from '../../spec-support/test-client';
import { guardedStreams } from './spec-support/guarded-streams';

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const REQUESTED = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };
const DENYING = { deny: true, wordCount: { maxWords: 1 } };

describe('stream that a guardrail holds back whole', () => {
  const streams = guardedStreams();
  const ask = (guardrail: object, stream: string | readonly StubStep[]): Promise<TestResponse> =>
    streams.ask({ guardrail, stream });
  const whole = chunk('two words') + DONE;

  it('returns 446 for a denied stream, which the official client does not retry', async () => {
    streams.respond(whole);
    const { gateway, stub } = streams;
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
    const { status, text } = await ask(DENYING, [{ chunk: ': PROCESSING\n\n' }, { chunk: whole }]);
    expect([status, text.includes('PROCESSING')]).toEqual([446, false]);
  });

  it('returns 246 for a marked stream', async () => {
    const { status, text } = await ask({ on_stream: 'hold', wordCount: { maxWords: 1 } }, whole);
    expect([status, text.includes('two words'), text.includes('"hook_results"')]).toEqual([246, true, true]);
  });

  it('keeps the status of a stream that passes or that its provider breaks off', async () => {
    const passed = await ask({ deny: true, wordCount: { maxWords: 9 } }, whole);
    expect([passed.status, passed.text]).toEqual([200, whole]);
    const broken = await ask(DENYING, [{ chunk: chunk('two words') }, { cut: 'end' }]);
    expect([broken.status, broken.text.includes('stream_interrupted')]).toEqual([200, true]);
    expect(broken.text).not.toContain('two words');
  });

  it('returns an error response for a stream that exceeds the bytes that may be held back', async () => {
    const guardrail = { deny: true, wordCount: { maxWords: 9_000_000 } };
    const { status, text } = await ask(guardrail, chunk('x'.repeat(1_000_001)) + DONE);
    expect([status, JSON.parse(text)]).toMatchObject([446, { error: { type: 'hooks_failed' } }]);
  });
});

describe('stream that a guardrail holds back for longer than the interval of keep-alive comments', () => {
  const streams = guardedStreams({ STREAM_KEEP_ALIVE: '120' });

  it('sends a denial as an error event after a keep-alive comment has started the stream', async () => {
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    const response = await streams.open({
      guardrail: DENYING,
      stream: [{ chunk: chunk('two ') }, { until }, { chunk: chunk('words') + DONE }],
    });
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
