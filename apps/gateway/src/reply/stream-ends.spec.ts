import { eventually, StubProvider, type StubStep } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const DONE = 'data: [DONE]\n\n';
/**
 * As Perplexity sends them: spaces in the JSON, the reason in the last event together with the
 * usage, and no end mark.
 */
const perplexity = (text: string, reason: string | null, index = 0): string =>
  `data: {"id": "p", "model": "sonar", "object": "chat.completion.chunk", "choices": [{"index": ${String(index)}, ` +
  `"finish_reason": ${JSON.stringify(reason)}, "delta": {"content": ${JSON.stringify(text)}}}]` +
  `${reason === null ? '' : ', "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}'}}\r\n\r\n`;
const WHOLE = perplexity('Hello ', null) + perplexity('there', 'stop');

const message = (event: { type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const MESSAGE_END = message({ type: 'message_stop' });
const MESSAGE =
  message({
    type: 'message_start',
    message: { id: 'm', model: 'c', usage: { input_tokens: 1 } },
  } as never) +
  message({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: { output_tokens: 1 },
  } as never) +
  MESSAGE_END;

describe('end of a stream', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'perplexity-ai', stub.origin);
    gateway.addProvider('claude', 'anthropic', stub.origin);
  });
  afterEach(async () => {
    await gateway.stop();
    await stub.stop();
  });

  const send = (steps: readonly StubStep[]): void =>
    stub.respond({ headers: { 'content-type': 'text/event-stream' }, steps });
  const ask = async (
    path = '/chat/completions',
    more: object = {},
    config: object = { provider: '@main' },
  ): Promise<string> => {
    const response = await fetch(gateway.baseUrl + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': JSON.stringify(config),
      },
      body: JSON.stringify({
        model: 'sonar',
        stream: true,
        max_tokens: 9,
        messages: [{ role: 'user', content: 'Hi' }],
        ...more,
      }),
    });
    return response.text();
  };
  const last = async () => (await gateway.records()).at(-1);
  const CONTINUE = { provider: '@main', on_stream_failure: 'continue' };

  describe('without an end mark, if each choice has a finish_reason', () => {
    it('completes a passthrough stream whose request cannot be parsed', async () => {
      send([{ chunk: WHOLE }]);
      const [head, tail] = ['{"model":"sonar","stream":true,"messages":[{"role":"user","content":"', '"}]}'];
      const response = await fetch(`${gateway.baseUrl}/proxy/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-gw-api-key': gateway.apiKey,
          'x-gw-provider': '@main',
        },
        body: Buffer.concat([Buffer.from(head), Buffer.from([0xff]), Buffer.from(tail)]),
      });
      expect(await response.text()).toBe(WHOLE);
      expect(await last()).toMatchObject({ outcome: 'ok', usage: { outputTokens: 4 } });
    });

    it.each([
      ['a stream', { provider: '@main' }],
      ['a stream that may be continued', CONTINUE],
    ])('completes %s: the client receives the mark, and the log says ok', async (_, config) => {
      send([{ chunk: WHOLE }]);
      const text = await ask('/chat/completions', {}, config);
      expect([text.startsWith(WHOLE), text.endsWith(DONE), text.includes('"error"')]).toEqual([
        true,
        true,
        false,
      ]);
      expect(await last()).toMatchObject({
        outcome: 'ok',
        usage: { inputTokens: 3, outputTokens: 4 },
        decision: { attempts: [{ end: 'answered' }] },
      });
    });

    it('completes a stream whose last event lacks its blank line', async () => {
      send([{ chunk: WHOLE.trimEnd() }]);
      const text = await ask();
      expect(text).toBe(`${WHOLE.trimEnd()}\n\n${DONE}`);
      expect(await last()).toMatchObject({ outcome: 'ok' });
    });

    it('completes a passthrough stream, to which nothing is added', async () => {
      send([{ chunk: WHOLE }]);
      expect(await ask('/proxy/chat/completions')).toBe(WHOLE);
      expect(await last()).toMatchObject({ outcome: 'ok' });
    });

    it('does not complete a stream whose connection broke', async () => {
      send([{ chunk: WHOLE }, { waitMs: 20 }, { cut: 'reset' }]);
      const text = await ask();
      expect([text.includes('stream_interrupted'), text.includes('[DONE]')]).toEqual([true, false]);
    });

    it.each([
      ['no choice has a reason', perplexity('Hello', null), {}],
      ['one of two choices has none', perplexity('a', null, 1) + perplexity('b', 'stop', 0), { n: 2 }],
    ])('does not complete a stream if %s', async (_, events, more) => {
      send([{ chunk: events }]);
      const text = await ask('/chat/completions', more);
      expect([text.includes('stream_interrupted'), text.includes('[DONE]')]).toEqual([true, false]);
      expect(await last()).toMatchObject({ outcome: 'interrupted' });
    });
  });

  describe('at its end mark', () => {
    it.each([
      ['a stream', '/chat/completions', { provider: '@main' }, WHOLE + DONE, DONE],
      ['a stream that may be continued', '/chat/completions', CONTINUE, WHOLE + DONE, DONE],
      ['a stream of messages', '/messages', { provider: '@claude' }, MESSAGE, MESSAGE_END],
      ['a translated stream', '/chat/completions', { provider: '@claude' }, MESSAGE, DONE],
    ])('ends the response of %s while the provider keeps its connection open', async (...row) => {
      const [, path, config, events, mark] = row;
      send([{ chunk: events }, { hang: true }]);
      const text = await ask(path, {}, config);
      expect(text.slice(-mark.length)).toBe(mark);
      expect(await last()).toMatchObject({ outcome: 'ok' });
      await eventually(() => stub.lastRequest.cancelled);
    });

    it('keeps the connection of a provider that ends its response a little later', async () => {
      let release = (): void => undefined;
      stub.respond(() => {
        const until = new Promise<void>((resolve) => (release = resolve));
        const steps = [{ chunk: WHOLE + DONE }, { until }, { chunk: ': bye\n\n' }];
        return { headers: { 'content-type': 'text/event-stream' }, steps };
      });
      for (const requested of [1, 2]) {
        expect(await ask()).toBe(WHOLE + DONE);
        release();
        await eventually(() => stub.requests.length === requested && stub.lastRequest.finished);
      }
      expect([stub.connections, stub.requests.map(({ cancelled }) => cancelled)]).toEqual([
        1,
        [false, false],
      ]);
    });

    it('breaks a passthrough response that ends before its announced length, without waiting', async () => {
      const length = String(WHOLE.length + DONE.length + 9);
      const head = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${length}\r\n\r\n`;
      stub.respond({ raw: head + WHOLE + DONE });
      await expect(ask('/proxy/chat/completions')).rejects.toThrow('terminated');
      expect(await last()).toMatchObject({ outcome: 'ok' });
    });

    it('disconnects a provider that keeps sending', async () => {
      const more = Array.from({ length: 100 }, () => ({ chunk: `: ${'x'.repeat(4_096)}\n\n` }));
      let release = (): void => undefined;
      const until = new Promise<void>((resolve) => (release = resolve));
      send([{ chunk: WHOLE + DONE }, { until }, ...more, { hang: true }]);
      expect(await ask()).toBe(WHOLE + DONE);
      release();
      await eventually(() => stub.lastRequest.cancelled);
    });
  });

  describe('inside an event', () => {
    /** Parses like a strict client: every event is JSON. */
    const parsed = (text: string): unknown[] =>
      text
        .split(/\r?\n\r?\n/)
        .filter((event) => event.startsWith('data: '))
        .map((event) => JSON.parse(event.slice(6)) as unknown);

    it.each([
      ['by a reset', { cut: 'reset' }],
      ['by an orderly end', { cut: 'end' }],
    ] as const)('leads to an error event, and the partial event is not forwarded: %s', async (_, cut) => {
      for (const config of [{ provider: '@main' }, CONTINUE]) {
        const half = perplexity('there', null).slice(0, 60);
        send([{ chunk: perplexity('Hello', null) + half }, { waitMs: 20 }, cut]);
        const events = parsed(await ask('/chat/completions', {}, config));
        expect(events).toMatchObject([
          { choices: [{ delta: { content: 'Hello' } }] },
          { error: { type: 'stream_interrupted' } },
        ]);
      }
    });
  });
});
