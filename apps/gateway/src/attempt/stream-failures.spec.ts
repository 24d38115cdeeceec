import { eventually, StubProvider, type StubResponse } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';

const EVENTS = { 'content-type': 'text/event-stream' };
const WAIT = { timeoutMs: 90_000 };

const chatEvent = (id: string, choice: object | null, more: object = {}): string =>
  `data: ${JSON.stringify({
    id,
    object: 'chat.completion.chunk',
    created: id === 'one' ? 1 : 2,
    model: 'gpt-4o',
    choices: choice === null ? [] : [{ index: 0, finish_reason: null, ...choice }],
    ...more,
  })}\n\n`;
const role = (id: string): string => chatEvent(id, { delta: { role: 'assistant', content: '' } });
const text = (id: string, content: string): string => chatEvent(id, { delta: { content } });
const stop = (id: string): string => chatEvent(id, { delta: {}, finish_reason: 'stop' });
const used = (id: string, input: number, output: number): string =>
  chatEvent(id, null, {
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  });
const DONE = 'data: [DONE]\n\n';

const claude = (type: string, more: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const start = (id: string, input: number): string =>
  claude('message_start', {
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content: [],
      usage: { input_tokens: input, output_tokens: 1 },
    },
  });
const block = (index: number): string =>
  claude('content_block_start', { index, content_block: { type: 'text', text: '' } });
const said = (index: number, words: string): string =>
  claude('content_block_delta', { index, delta: { type: 'text_delta', text: words } });
const end = (index: number, output: number): string =>
  claude('content_block_stop', { index }) +
  claude('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: output } }) +
  claude('message_stop', {});

const events = (steps: StubResponse['steps']): StubResponse => ({ headers: EVENTS, steps: steps ?? [] });
const broken = (...chunks: readonly string[]): StubResponse =>
  events([...chunks.map((chunk) => ({ chunk })), { cut: 'end' }]);
const whole = (...chunks: readonly string[]): StubResponse => events(chunks.map((chunk) => ({ chunk })));

describe('streams that break off', () => {
  let gateway: GatewayHarness;
  let first: StubProvider;
  let second: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [first, second] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    gateway.addProvider('first', 'openai', first.origin);
    gateway.addProvider('second', 'openai', second.origin);
    gateway.addProvider('claude', 'anthropic', second.origin);
    gateway.addProvider('claude-first', 'anthropic', first.origin);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all([gateway.stop(), first.stop(), second.stop()]);
  });

  /** Makes back-off use the shortest wait. */
  const hurry = (): void => {
    jest.spyOn(Math, 'random').mockReturnValue(0.999);
  };

  const ask = (config: object, path = '/chat/completions', more: object = {}): Promise<Response> =>
    fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': JSON.stringify(config),
      },
      body: JSON.stringify({
        model: 'gpt-4o',
        stream: true,
        messages: [{ role: 'user', content: 'Hi' }],
        ...more,
      }),
    });
  const over = (failure: string, targets: readonly object[], more: object = {}): object => ({
    strategy: { mode: 'fallback' },
    on_stream_failure: failure,
    ...more,
    targets,
  });
  const last = async (): Promise<LoggedRequest> =>
    eventually(async () => (await gateway.records()).at(-1), WAIT);
  const ends = async () => (await last()).decision.attempts.map(({ end: how }) => how);
  const sentTo = (stub: StubProvider): Record<string, unknown> =>
    JSON.parse(String(stub.lastRequest.body)) as Record<string, unknown>;
  const both = [{ provider: '@first' }, { provider: '@second' }];

  describe('before any byte reached the client', () => {
    const answer = [role('two'), text('two', 'Hello'), stop('two'), DONE];

    it.each<readonly [string, StubResponse]>([
      ['after its head', broken()],
      ['after a comment', broken(': wait\n\n')],
      ['inside the first event', broken(text('one', 'Hel').slice(0, 30))],
      ['by ending cleanly without an event', whole()],
      ['with an error as the first event', whole('data: {"error":{"message":"overloaded"}}\n\n')],
    ])('replaces the stream by the next target’s: %s', async (_, failure) => {
      first.respond(failure);
      second.respond(whole(...answer));
      const response = await ask(over('restart', both));
      expect(await response.text()).toBe(answer.join(''));
      expect(await ends()).toEqual(['interrupted', 'answered']);
      expect(await last()).toMatchObject({ outcome: 'ok', errorType: null });
    });

    it('repeats the call by the retry rules', async () => {
      hurry();
      first.respond(broken(), whole(...answer));
      const response = await ask({
        provider: '@first',
        on_stream_failure: 'restart',
        retry: { attempts: 1 },
      });
      expect(await response.text()).toBe(answer.join(''));
      expect(response.headers.get('x-gw-retry-attempt-count')).toBe('1');
    });

    it('returns an error response with a status when no target is left', async () => {
      first.respond(broken());
      second.respond(broken());
      const response = await ask(over('restart', both));
      expect([response.status, (await response.json()) as object]).toEqual([
        502,
        expect.objectContaining({
          error: expect.objectContaining({ type: 'provider_answer_invalid' }) as object,
        }),
      ]);
    });

    it('sends the broken stream to the client with `fail`', async () => {
      first.respond(broken());
      const response = await ask(over('fail', both));
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining('stream_interrupted'),
      ]);
      expect(second.connections).toBe(0);
    });

    it('replaces the stream by the next target’s on passthrough too', async () => {
      first.respond(broken());
      second.respond(whole('data: any\n\n'));
      const response = await ask(over('restart', both), '/proxy/any');
      expect(await response.text()).toBe('data: any\n\n');
    });
  });

  it('ends the stream with an error event under `restart` once the client has a part', async () => {
    first.respond(broken(role('one'), text('one', 'Hel')));
    const body = await (await ask(over('restart', both))).text();
    expect(body.startsWith(role('one') + text('one', 'Hel'))).toBe(true);
    expect(body).toContain('stream_interrupted');
    expect(second.connections).toBe(0);
  });

  describe('under `continue`', () => {
    const prefilled = [{ provider: '@first' }, { provider: '@second', assistant_prefill: true }];
    const dataOf = (body: string): Record<string, unknown>[] =>
      body
        .split('\n\n')
        .filter((event) => event.includes('data: {'))
        .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Record<string, unknown>);
    const contentOf = (body: string): string =>
      dataOf(body)
        .map(({ choices }) => (choices as { delta: { content?: string } }[])[0]?.delta.content ?? '')
        .join('');

    it('continues at the next target from the client’s text, with one id, one role, one end and the usage of both', async () => {
      first.respond(
        broken(
          role('one'),
          text('one', 'Hello'),
          chatEvent(
            'one',
            { delta: { content: ' wor' } },
            { usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } },
          ),
        ),
      );
      second.respond(
        whole(role('two'), text('two', 'ld'), text('two', '!'), stop('two'), used('two', 12, 3), DONE),
      );
      const response = await ask(over('continue', prefilled), undefined, {
        stream_options: { include_usage: true },
      });
      const body = await response.text();
      expect(contentOf(body)).toBe('Hello world!');
      expect(new Set(dataOf(body).map(({ id, created }) => `${String(id)} ${String(created)}`))).toEqual(
        new Set(['one 1']),
      );
      expect(body.match(/"role"/g)).toHaveLength(1);
      expect(body.match(/"finish_reason":"stop"/g)).toHaveLength(1);
      expect(body.endsWith(DONE)).toBe(true);
      expect(dataOf(body).at(-1)?.['usage']).toEqual({
        prompt_tokens: 21,
        completion_tokens: 5,
        total_tokens: 26,
      });
      expect(sentTo(second)['messages']).toEqual([
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello wor' },
      ]);
      const { usage, decision, outcome, cost } = await last();
      expect({ outcome, usage }).toMatchObject({
        outcome: 'ok',
        usage: { inputTokens: 21, outputTokens: 5 },
      });
      expect(await ends()).toEqual(['interrupted', 'answered']);
      expect(decision.routing).toEqual([{ target: 'config.targets[1]', event: 'stream_continued' }]);
      expect(decision.price?.lines.reduce((sum, line) => sum + line.cost, 0)).toBe(cost);
    });

    it('charges the part that broke off, by estimate when it reported no usage', async () => {
      first.respond(broken(role('one'), text('one', 'x'.repeat(3_000))));
      second.respond(whole(role('two'), text('two', 'y'), stop('two'), used('two', 12, 3), DONE));
      await (await ask(over('continue', prefilled))).text();
      const { usage, decision, cost, priced } = await last();
      expect(priced).toBe('estimated');
      expect(usage?.inputTokens).toBeGreaterThan(12);
      expect(usage?.outputTokens).toBeGreaterThanOrEqual(3 + 1_000);
      expect(decision.price?.lines.reduce((sum, line) => sum + line.cost, 0)).toBe(cost);
    });

    it('also charges a continuation that was cut off without usage', async () => {
      first.respond(broken(role('one'), text('one', 'x'.repeat(3_000)), used('one', 10, 1_000)));
      second.respond(broken(role('two'), text('two', 'y'.repeat(6_000))));
      await (await ask(over('continue', prefilled), undefined, { max_tokens: 9_000 })).text();
      const { usage, cost, priced } = await last();
      expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 1_000 });
      expect(priced).toBe('estimated');
      // At 2.50 USD per million input tokens and 10 USD per million output tokens.
      expect(cost).toBeGreaterThan(1_000 * 1_000 + 2_000 * 1_000);
    });

    it('continues at Anthropic without a setting, as chunks of the same response', async () => {
      first.respond(broken(role('one'), text('one', 'Hello'), text('one', ' ')));
      second.respond(whole(start('msg_2', 12), block(0), said(0, ' wor'), said(0, 'ld'), end(0, 3)));
      const body = await (
        await ask(over('continue', [{ provider: '@first' }, { provider: '@claude' }]), undefined, {
          max_tokens: 50,
          model: 'claude-sonnet-4-5',
        })
      ).text();
      expect(contentOf(body)).toBe('Hello world');
      expect(new Set(dataOf(body).map(({ id }) => id))).toEqual(new Set(['one']));
      expect(body.endsWith(DONE)).toBe(true);
      const messages = sentTo(second)['messages'] as { role: string; content: { text: string }[] }[];
      expect([messages.at(-1)?.role, messages.at(-1)?.content[0]?.text]).toEqual(['assistant', 'Hello']);
    });

    it('continues in the messages dialect inside the open block', async () => {
      first.respond(broken(start('msg_1', 10), block(0), said(0, 'Hello'), said(0, ' wor')));
      second.respond(whole(start('msg_2', 12), block(0), said(0, 'ld'), end(0, 3)));
      const config = over('continue', [{ provider: '@claude-first' }, { provider: '@claude' }]);
      const body = await (await ask(config, '/messages', { max_tokens: 50 })).text();
      expect(body).toBe(
        start('msg_1', 10) +
          block(0) +
          said(0, 'Hello') +
          said(0, ' wor') +
          said(0, 'ld') +
          end(0, 3).replace('"usage":{"output_tokens":3}', '"usage":{"input_tokens":22,"output_tokens":4}'),
      );
      const { usage } = await last();
      expect(usage?.inputTokens).toBe(22);
      // The output count at the beginning of the first part is not its final usage.
      const cut = start('msg_1', 10) + block(0) + said(0, 'Hello') + said(0, ' wor');
      expect(usage?.outputTokens).toBe(3 + Math.ceil(cut.length / 3));
    });

    it('continues in the messages dialect in a new block when the first one has ended', async () => {
      first.respond(
        broken(start('msg_1', 10), block(0), said(0, 'Hello'), claude('content_block_stop', { index: 0 })),
      );
      second.respond(whole(start('msg_2', 12), block(0), said(0, ' world'), end(0, 3)));
      const config = over('continue', [{ provider: '@claude-first' }, { provider: '@claude' }]);
      const body = await (await ask(config, '/messages', { max_tokens: 50 })).text();
      expect(body).toContain(`${block(1)}${said(1, ' world')}${claude('content_block_stop', { index: 1 })}`);
      expect(body.match(/event: message_stop/g)).toHaveLength(1);
    });

    it('closes the block in the messages dialect when the next response starts with a tool call', async () => {
      const tool = (index: number): string =>
        claude('content_block_start', {
          index,
          content_block: { type: 'tool_use', id: 't', name: 'f', input: {} },
        });
      first.respond(broken(start('msg_1', 10), block(0), said(0, 'Hello')));
      second.respond(whole(start('msg_2', 12), tool(0), end(0, 3)));
      const config = over('continue', [{ provider: '@claude-first' }, { provider: '@claude' }]);
      const body = await (await ask(config, '/messages', { max_tokens: 50 })).text();
      const closed = (index: number): string => claude('content_block_stop', { index });
      expect(body).toContain(`${said(0, 'Hello')}${closed(0)}${tool(1)}${closed(1)}`);
    });

    it('first retries the same target, and continues again after another break', async () => {
      hurry();
      first.respond(
        broken(role('one'), text('one', 'a')),
        broken(role('two'), text('two', 'b')),
        whole(role('three'), text('three', 'c'), stop('three'), DONE),
      );
      const config = {
        provider: '@first',
        on_stream_failure: 'continue',
        assistant_prefill: true,
        retry: { attempts: 2 },
      };
      const body = await (await ask(config)).text();
      expect(contentOf(body)).toBe('abc');
      expect(first.requests).toHaveLength(3);
      expect((sentTo(first)['messages'] as unknown[]).at(-1)).toEqual({ role: 'assistant', content: 'ab' });
    });

    it('restarts at any provider while the client has no text', async () => {
      first.respond(broken(role('one')));
      second.respond(whole(role('two'), text('two', 'Hello'), stop('two'), DONE));
      const body = await (await ask(over('continue', both))).text();
      expect(contentOf(body)).toBe('Hello');
      expect(body.match(/"role"/g)).toHaveLength(1);
      expect((sentTo(second)['messages'] as unknown[]).length).toBe(1);
    });

    it('continues after an error event, which the client does not see', async () => {
      first.respond(whole(role('one'), text('one', 'Hel'), 'data: {"error":{"message":"overloaded"}}\n\n'));
      second.respond(whole(role('two'), text('two', 'lo'), stop('two'), DONE));
      const body = await (await ask(over('continue', prefilled))).text();
      expect([contentOf(body), body.includes('overloaded')]).toEqual(['Hello', false]);
    });

    it.each<readonly [string, readonly object[], readonly string[]]>([
      ['no target is left', [{ provider: '@first' }], [text('one', 'Hel')]],
      ['no target accepts a prefill', both, [text('one', 'Hel')]],
      [
        'the response calls a tool',
        prefilled,
        [
          chatEvent('one', {
            delta: { tool_calls: [{ index: 0, id: 't', function: { name: 'f', arguments: '{' } }] },
          }),
        ],
      ],
      ['only the end mark is missing', prefilled, [text('one', 'Hel'), stop('one')]],
      [
        'the text is too long',
        prefilled,
        [text('one', 'x'.repeat(200_000)), text('one', 'x'.repeat(100_000))],
      ],
    ])('ends with an error event and no end mark when %s', async (_, targets, chunks) => {
      first.respond(broken(role('one'), ...chunks));
      second.respond(whole(role('two'), text('two', 'lo'), stop('two'), DONE));
      const body = await (await ask(over('continue', targets))).text();
      expect(body.startsWith(role('one') + chunks.join(''))).toBe(true);
      expect(body).toContain('stream_interrupted');
      expect(body).not.toContain('[DONE]');
      expect(second.connections).toBe(0);
      expect(await last()).toMatchObject({ outcome: 'interrupted', errorType: 'stream_interrupted' });
      expect((await ends())[0]).toBe('interrupted');
    });

    it('ends with an error event when the next target returns an error or no stream', async () => {
      for (const response of [{ status: 400, body: { error: { message: 'no prefill' } } }, { body: {} }]) {
        first.respond(broken(role('one'), text('one', 'Hel')));
        second.respond(response);
        const body = await (await ask(over('continue', prefilled))).text();
        expect(body).toContain('stream_interrupted');
        expect(await last()).toMatchObject({ outcome: 'interrupted', credential: 'first' });
      }
    });

    it('forwards a stream that does not break off unchanged', async () => {
      const chunks = [role('one'), ': note\n\n', text('one', 'Hé'), text('one', 'llo 😀'), stop('one'), DONE];
      const bytes = Buffer.from(chunks.join(''));
      first.respond(events([...bytes].map((byte) => ({ chunk: Buffer.from([byte]) }))));
      expect(await (await ask(over('continue', prefilled))).text()).toBe(chunks.join(''));
      expect(await ends()).toEqual(['answered']);
    });

    it('cancels the continuing call when the client disconnects', async () => {
      first.respond(broken(role('one'), text('one', 'Hel')));
      second.respond({ neverRespond: true });
      const response = await ask(over('continue', prefilled));
      await second.waitForRequest(1, WAIT.timeoutMs);
      await response.body?.cancel();
      await eventually(() => second.lastRequest.cancelled, WAIT);
      await eventually(async () => (await last()).outcome === 'client_closed', WAIT);
    });

    it('counts the failure once towards the breaker of the target', async () => {
      const config = over('continue', prefilled);
      const guarded = { ...config, strategy: { mode: 'fallback', cb_config: { consecutive_failures: 1 } } };
      first.respond(broken(role('one'), text('one', 'Hel')));
      second.respond(whole(role('two'), text('two', 'lo'), stop('two'), DONE));
      expect(contentOf(await (await ask(guarded)).text())).toBe('Hello');
      expect((await last()).decision.routing).toContainEqual({
        target: 'config.targets[0]',
        event: 'breaker_opened',
      });
      await (await ask(guarded)).text();
      expect(first.requests).toHaveLength(1);
    });
  });
});
