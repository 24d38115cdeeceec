import { StubProvider } from '@gw/testing';
import { TestClient } from '../../spec-support/test-client';
import { GatewayHarness } from '../../spec-support/harness';

const SECRET = 'ULTRAVIOLET';
/** 600 tokens; the denied word is in two pieces at token 500. */
const TOKENS = Array.from({ length: 600 }, (_, at) =>
  at === 500 ? SECRET.slice(0, 5) : at === 501 ? SECRET.slice(5) : `tok${String(at)} `,
);
const CLEAN = TOKENS.filter((_, at) => at !== 500 && at !== 501);

interface Dialect {
  readonly provider: string;
  readonly path: string;
  readonly events: (tokens: readonly string[]) => string;
  readonly textOf: (stream: string) => string;
  readonly endMark: string;
}

const named = (body: { type: string }): string => `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
const plain = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;
const bodiesOf = (stream: string): Record<string, never>[] =>
  stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Record<string, never>);

const chunk = (delta: object, reason: string | null = null): string =>
  plain({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: reason }],
  });

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'chat completions': {
    provider: '@main',
    path: '/chat/completions',
    events: (tokens) =>
      chunk({ role: 'assistant', content: '' }) +
      tokens.map((content) => chunk({ content })).join('') +
      chunk({}, 'stop') +
      'data: [DONE]\n\n',
    textOf: (stream) =>
      bodiesOf(stream)
        .flatMap(({ choices }) => (choices ?? []) as { delta: { content?: string } }[])
        .map(({ delta }) => delta.content ?? '')
        .join(''),
    endMark: '[DONE]',
  },
  messages: {
    provider: '@claude',
    path: '/messages',
    events: (tokens) =>
      named({
        type: 'message_start',
        message: { id: 'm', model: 'c', usage: { input_tokens: 1 } },
      } as never) +
      named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never) +
      tokens
        .map((text) =>
          named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as never),
        )
        .join('') +
      named({ type: 'content_block_stop', index: 0 } as never) +
      named({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 2 },
      } as never) +
      named({ type: 'message_stop' }),
    textOf: (stream) =>
      bodiesOf(stream)
        .map(({ delta }) => (delta as { text?: string } | undefined)?.text ?? '')
        .join(''),
    endMark: 'message_stop',
  },
  responses: {
    provider: '@main',
    path: '/responses',
    events: (tokens) => {
      const text = tokens.join('');
      const at = { output_index: 0, content_index: 0, item_id: 'i' };
      const item = { type: 'message', id: 'i', content: [{ type: 'output_text', text }] };
      return [
        { type: 'response.created', response: { id: 'r', output: [] } },
        ...tokens.map((delta) => ({ type: 'response.output_text.delta', ...at, delta })),
        { type: 'response.output_text.done', ...at, text },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: { id: 'r', status: 'completed', output: [item] } },
      ]
        .map(named)
        .join('');
    },
    textOf: (stream) =>
      bodiesOf(stream)
        .map(({ delta }) => (typeof delta === 'string' ? delta : ''))
        .join(''),
    endMark: 'response.completed',
  },
};

const word = (more: object = {}): object => ({ ...more, contains: { words: [SECRET], operator: 'none' } });

describe.each(Object.entries(DIALECTS))('guarded stream of %s', (_, dialect) => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('claude', 'anthropic', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const streamed = (tokens: readonly string[]): void => {
    const text = dialect.events(tokens);
    const steps = (text.match(/[^]{1,997}/g) ?? []).map((piece) => ({ chunk: piece }));
    stub.respond({ headers: { 'content-type': 'text/event-stream' }, steps });
  };
  const ask = (config: object): ReturnType<TestClient['ask']> =>
    asker.ask(
      dialect.path,
      {
        model: 'm',
        stream: true,
        max_tokens: 9,
        messages: [{ role: 'user', content: 'Hi' }],
        input: 'Hi',
      },
      { config: { provider: dialect.provider, ...config } },
    );

  it.each([true, false])(
    'drops an event that is nested too deeply to be judged (async: %s)',
    async (async) => {
      const nested = `${'['.repeat(100_000)}"${SECRET}"${']'.repeat(100_000)}`;
      const deep =
        `data: {"choices":[{"index":0,"delta":{"content_blocks":${nested}}}],"type":"content_block_start",` +
        `"index":1,"output_index":1,"item":${nested},"content_block":{"type":"x_result","content":${nested}}}\n\n`;
      stub.respond({
        headers: { 'content-type': 'text/event-stream' },
        steps: [{ chunk: deep + dialect.events(['Hello']) }],
      });
      const reply = await ask({ output_guardrails: [word({ deny: !async, async })] });
      expect(reply.text.includes(SECRET)).toBe(async);
      expect(dialect.textOf(reply.text)).toBe('Hello');
      expect(reply.text).toContain(dialect.endMark);
    },
  );

  it('does not send text denied at token 500, and reports the reason', async () => {
    streamed(TOKENS);
    const reply = await ask({ output_guardrails: [word({ deny: true })] });
    expect(reply.status).toBe(200);
    expect(reply.text).not.toContain(SECRET);
    expect(reply.text).not.toContain(dialect.endMark);
    expect(reply.text).toContain('hooks_failed');
    expect(reply.text).toContain('"after_request_hooks":[{');
    expect(dialect.textOf(reply.text)).toBe(TOKENS.slice(0, 500).join(''));
    const record = (await gateway.records()).at(-1);
    expect(record).toMatchObject({ outcome: 'denied', errorType: 'hooks_failed', streamed: true });
    expect(record?.decision.guardrails).toMatchObject([{ stage: 'output', verdict: false, deny: true }]);
  });

  it('forwards text at once when no match can begin in it', async () => {
    const tokens = ['Once ', 'upon ', 'a ', 'time'];
    const [shorter = '', longer = ''] = [tokens, [...tokens, ' there']].map((each) => dialect.events(each));
    const same = [...shorter].findIndex((char, at) => char !== longer[at]);
    const begun = shorter.slice(0, shorter.lastIndexOf('\n\n', same) + 2);
    stub.respond({
      headers: { 'content-type': 'text/event-stream' },
      steps: [{ chunk: begun }, { hang: true }],
    });
    const response = await asker.open(
      dialect.path,
      { model: 'm', stream: true, max_tokens: 9, messages: [], input: 'Hi' },
      {
        config: {
          provider: dialect.provider,
          output_guardrails: [
            { deny: true, regexMatch: { rule: SECRET, not: true } },
            { pii: { redact: true, scope: ['all'] } },
          ],
        },
      },
    );
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!dialect.textOf(text).startsWith('Once upon a ')) {
      const { value, done } = await reader.read();
      expect(done).toBe(false);
      text += Buffer.from(value ?? []).toString();
    }
    await reader.cancel();
  });

  it('forwards a passed stream unchanged, up to its end mark', async () => {
    streamed(CLEAN);
    const reply = await ask({ output_guardrails: [word({ deny: true })] });
    expect(dialect.textOf(reply.text)).toBe(CLEAN.join(''));
    expect(reply.text).toContain(dialect.endMark);
    expect(reply.text).not.toContain('hook_results');
  });

  it('forwards a marked stream with the verdicts before its end mark', async () => {
    streamed(TOKENS);
    const reply = await ask({ output_guardrails: [word()] });
    expect(dialect.textOf(reply.text)).toBe(TOKENS.join(''));
    const marked = reply.text.indexOf('"hook_results"');
    expect(marked).toBeGreaterThan(0);
    expect(reply.text.lastIndexOf(dialect.endMark)).toBeGreaterThan(marked);
  });

  it('holds back a stream until checks of the whole response have judged it, and then sends it unchanged or not at all', async () => {
    streamed(CLEAN);
    const short = { wordCount: { maxWords: 3 } };
    const denied = await ask({ output_guardrails: [{ deny: true, ...short }] });
    expect([denied.status, denied.headers.get('content-type')]).toEqual([
      446,
      'application/json; charset=utf-8',
    ]);
    expect(denied.text).toContain('hooks_failed');
    expect(JSON.parse(denied.text)).toMatchObject({
      hook_results: { after_request_hooks: [{ verdict: false }] },
    });
    expect((await gateway.records()).at(-1)).toMatchObject({
      outcome: 'denied',
      status: 446,
      errorType: 'hooks_failed',
    });
    const held = await ask({ output_guardrails: [{ deny: true, wordCount: { maxWords: 3_000 } }] });
    expect(held.text).toBe(dialect.events(CLEAN));
  });

  it('replaces texts wherever they occur', async () => {
    streamed(TOKENS);
    const reply = await ask({
      output_guardrails: [{ regexReplace: { rule: SECRET, redactText: '[GONE]', scope: ['all'] } }],
    });
    expect(reply.text).not.toContain(SECRET);
    expect(dialect.textOf(reply.text)).toBe(TOKENS.join('').replace(SECRET, '[GONE]'));
    expect(reply.text).toContain(dialect.endMark);
  });
});
