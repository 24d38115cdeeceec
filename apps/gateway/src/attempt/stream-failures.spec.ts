import { eventually, StubProvider, type StubResponse } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';

// A busy machine may take several times as long.
jest.setTimeout(60_000);

const EVENTS = { 'content-type': 'text/event-stream' };
const WAIT = { timeoutMs: 20_000 };

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

describe('a stream that breaks off', () => {
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

  /** Back-off draws the shortest wait. */
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

  describe('before anything of it reached the client', () => {
    const answer = [role('two'), text('two', 'Hello'), stop('two'), DONE];

    it.each<readonly [string, StubResponse]>([
      ['after its head', broken()],
      ['after a comment', broken(': wait\n\n')],
      ['inside its first event', broken(text('one', 'Hel').slice(0, 30))],
      ['by ending cleanly without an event', whole()],
      ['with an error for its first event', whole('data: {"error":{"message":"overloaded"}}\n\n')],
    ])('is answered by the next target: %s', async (_, failure) => {
      first.answer(failure);
      second.answer(whole(...answer));
      const response = await ask(over('restart', both));
      expect(await response.text()).toBe(answer.join(''));
      expect(await ends()).toEqual(['interrupted', 'answered']);
      expect(await last()).toMatchObject({ outcome: 'ok', errorType: null });
    });

    it('is repeated by the rules of retries', async () => {
      hurry();
      first.answer(broken(), whole(...answer));
      const response = await ask({
        provider: '@first',
        on_stream_failure: 'restart',
        retry: { attempts: 1 },
      });
      expect(await response.text()).toBe(answer.join(''));
      expect(response.headers.get('x-gw-retry-attempt-count')).toBe('1');
    });

    it('is an error with a status when nothing is left, not a stream', async () => {
      first.answer(broken());
      second.answer(broken());
      const response = await ask(over('restart', both));
      expect([response.status, (await response.json()) as object]).toEqual([
        502,
        expect.objectContaining({
          error: expect.objectContaining({ type: 'provider_answer_invalid' }) as object,
        }),
      ]);
    });

    it('is the answer all the same with `fail`', async () => {
      first.answer(broken());
      const response = await ask(over('fail', both));
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining('stream_interrupted'),
      ]);
      expect(second.connections).toBe(0);
    });

    it('is answered by the next target on passthrough too', async () => {
      first.answer(broken());
      second.answer(whole('data: any\n\n'));
      const response = await ask(over('restart', both), '/proxy/any');
      expect(await response.text()).toBe('data: any\n\n');
    });
  });

  it('gets an error event with `restart` once the client has a part of it', async () => {
    first.answer(broken(role('one'), text('one', 'Hel')));
    const body = await (await ask(over('restart', both))).text();
    expect(body.startsWith(role('one') + text('one', 'Hel'))).toBe(true);
    expect(body).toContain('stream_interrupted');
    expect(second.connections).toBe(0);
  });

  describe('with `continue`', () => {
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

    it('is gone on with by the next target from what the client has: one id, one role, one end, usage of both', async () => {
      first.answer(
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
      second.answer(
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

    it('is charged for the part that broke off, as an estimate where that has not said what it used', async () => {
      first.answer(broken(role('one'), text('one', 'x'.repeat(3_000))));
      second.answer(whole(role('two'), text('two', 'y'), stop('two'), used('two', 12, 3), DONE));
      await (await ask(over('continue', prefilled))).text();
      const { usage, decision, cost, priced } = await last();
      expect(priced).toBe('estimated');
      expect(usage?.inputTokens).toBeGreaterThan(12);
      expect(usage?.outputTokens).toBeGreaterThanOrEqual(3 + 1_000);
      expect(decision.price?.lines.reduce((sum, line) => sum + line.cost, 0)).toBe(cost);
    });

    it('is charged for the part that went on, too, where that was cut without a use', async () => {
      first.answer(broken(role('one'), text('one', 'x'.repeat(3_000)), used('one', 10, 1_000)));
      second.answer(broken(role('two'), text('two', 'y'.repeat(6_000))));
      await (await ask(over('continue', prefilled), undefined, { max_tokens: 9_000 })).text();
      const { usage, cost, priced } = await last();
      expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 1_000 });
      expect(priced).toBe('estimated');
      // At 2.50 and 10 USD a million.
      expect(cost).toBeGreaterThan(1_000 * 1_000 + 2_000 * 1_000);
    });

    it('is continued by Anthropic without a setting, and its events become chunks of the same answer', async () => {
      first.answer(broken(role('one'), text('one', 'Hello'), text('one', ' ')));
      second.answer(whole(start('msg_2', 12), block(0), said(0, ' wor'), said(0, 'ld'), end(0, 3)));
      const body = await (
        await ask(over('continue', [{ provider: '@first' }, { provider: '@claude' }]), undefined, {
          max_tokens: 50,
        })
      ).text();
      expect(contentOf(body)).toBe('Hello world');
      expect(new Set(dataOf(body).map(({ id }) => id))).toEqual(new Set(['one']));
      expect(body.endsWith(DONE)).toBe(true);
      const messages = sentTo(second)['messages'] as { role: string; content: { text: string }[] }[];
      expect([messages.at(-1)?.role, messages.at(-1)?.content[0]?.text]).toEqual(['assistant', 'Hello']);
    });

    it('is gone on with in the dialect of messages, in the block that is open', async () => {
      first.answer(broken(start('msg_1', 10), block(0), said(0, 'Hello'), said(0, ' wor')));
      second.answer(whole(start('msg_2', 12), block(0), said(0, 'ld'), end(0, 3)));
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
      // What the first part says of its output at its beginning is not what came of it.
      const cut = start('msg_1', 10) + block(0) + said(0, 'Hello') + said(0, ' wor');
      expect(usage?.outputTokens).toBe(3 + Math.ceil(cut.length / 3));
    });

    it('gets another block in the dialect of messages where the first one is over', async () => {
      first.answer(
        broken(start('msg_1', 10), block(0), said(0, 'Hello'), claude('content_block_stop', { index: 0 })),
      );
      second.answer(whole(start('msg_2', 12), block(0), said(0, ' world'), end(0, 3)));
      const config = over('continue', [{ provider: '@claude-first' }, { provider: '@claude' }]);
      const body = await (await ask(config, '/messages', { max_tokens: 50 })).text();
      expect(body).toContain(`${block(1)}${said(1, ' world')}${claude('content_block_stop', { index: 1 })}`);
      expect(body.match(/event: message_stop/g)).toHaveLength(1);
    });

    it('has its block closed in the dialect of messages where the next answer calls a tool at once', async () => {
      const tool = (index: number): string =>
        claude('content_block_start', {
          index,
          content_block: { type: 'tool_use', id: 't', name: 'f', input: {} },
        });
      first.answer(broken(start('msg_1', 10), block(0), said(0, 'Hello')));
      second.answer(whole(start('msg_2', 12), tool(0), end(0, 3)));
      const config = over('continue', [{ provider: '@claude-first' }, { provider: '@claude' }]);
      const body = await (await ask(config, '/messages', { max_tokens: 50 })).text();
      const closed = (index: number): string => claude('content_block_stop', { index });
      expect(body).toContain(`${said(0, 'Hello')}${closed(0)}${tool(1)}${closed(1)}`);
    });

    it('is repeated at the same target first, by its retries, and broken once more it still goes on', async () => {
      hurry();
      first.answer(
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

    it('starts anew where the client has no text yet, at any provider', async () => {
      first.answer(broken(role('one')));
      second.answer(whole(role('two'), text('two', 'Hello'), stop('two'), DONE));
      const body = await (await ask(over('continue', both))).text();
      expect(contentOf(body)).toBe('Hello');
      expect(body.match(/"role"/g)).toHaveLength(1);
      expect((sentTo(second)['messages'] as unknown[]).length).toBe(1);
    });

    it('goes on after an error event, which the client does not see', async () => {
      first.answer(whole(role('one'), text('one', 'Hel'), 'data: {"error":{"message":"overloaded"}}\n\n'));
      second.answer(whole(role('two'), text('two', 'lo'), stop('two'), DONE));
      const body = await (await ask(over('continue', prefilled))).text();
      expect([contentOf(body), body.includes('overloaded')]).toEqual(['Hello', false]);
    });

    it.each<readonly [string, readonly object[], readonly string[]]>([
      ['no target is left', [{ provider: '@first' }], [text('one', 'Hel')]],
      ['no target takes a beginning', both, [text('one', 'Hel')]],
      [
        'the answer calls a tool',
        prefilled,
        [
          chatEvent('one', {
            delta: { tool_calls: [{ index: 0, id: 't', function: { name: 'f', arguments: '{' } }] },
          }),
        ],
      ],
      ['it is over but for its end mark', prefilled, [text('one', 'Hel'), stop('one')]],
      [
        'there is too much of it',
        prefilled,
        [text('one', 'x'.repeat(200_000)), text('one', 'x'.repeat(100_000))],
      ],
    ])('ends with an error event and no end mark where %s', async (_, targets, chunks) => {
      first.answer(broken(role('one'), ...chunks));
      second.answer(whole(role('two'), text('two', 'lo'), stop('two'), DONE));
      const body = await (await ask(over('continue', targets))).text();
      expect(body.startsWith(role('one') + chunks.join(''))).toBe(true);
      expect(body).toContain('stream_interrupted');
      expect(body).not.toContain('[DONE]');
      expect(second.connections).toBe(0);
      expect(await last()).toMatchObject({ outcome: 'interrupted', errorType: 'stream_interrupted' });
      expect((await ends())[0]).toBe('interrupted');
    });

    it('ends with an error event where the next target answers with an error or no stream', async () => {
      for (const answer of [{ status: 400, body: { error: { message: 'no prefill' } } }, { body: {} }]) {
        first.answer(broken(role('one'), text('one', 'Hel')));
        second.answer(answer);
        const body = await (await ask(over('continue', prefilled))).text();
        expect(body).toContain('stream_interrupted');
        expect(await last()).toMatchObject({ outcome: 'interrupted', credential: 'first' });
      }
    });

    it('is not touched as long as it does not break', async () => {
      const chunks = [role('one'), ': note\n\n', text('one', 'Hé'), text('one', 'llo 😀'), stop('one'), DONE];
      const bytes = Buffer.from(chunks.join(''));
      first.answer(events([...bytes].map((byte) => ({ chunk: Buffer.from([byte]) }))));
      expect(await (await ask(over('continue', prefilled))).text()).toBe(chunks.join(''));
      expect(await ends()).toEqual(['answered']);
    });

    it('cancels the call that goes on when the client leaves', async () => {
      first.answer(broken(role('one'), text('one', 'Hel')));
      second.answer({ neverAnswer: true });
      const response = await ask(over('continue', prefilled));
      await second.waitForRequest(1, WAIT.timeoutMs);
      await response.body?.cancel();
      await eventually(() => second.lastRequest.cancelled, WAIT);
      await eventually(async () => (await last()).outcome === 'client_closed', WAIT);
    });

    it('counts against the breaker of its target, once', async () => {
      const config = over('continue', prefilled);
      const guarded = { ...config, strategy: { mode: 'fallback', cb_config: { consecutive_failures: 1 } } };
      first.answer(broken(role('one'), text('one', 'Hel')));
      second.answer(whole(role('two'), text('two', 'lo'), stop('two'), DONE));
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
