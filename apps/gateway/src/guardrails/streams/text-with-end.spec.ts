import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';

type Body = Record<string, never>;

/** A dialect whose last event may have text next to the end of its channel. */
interface Dialect {
  readonly path: string;
  readonly provider: string;
  readonly request: object;
  /** An event with one piece of text of each choice. */
  readonly event: (texts: readonly string[], isLast: boolean) => object;
  readonly endMark: readonly string[];
  /** The texts of the event, by choice. */
  readonly textsIn: (body: Body) => readonly string[];
}

const PROMPT = 'Write to ann@example.com';
const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
const reasonOf = (isLast: boolean): string | null => (isLast ? 'stop' : null);

const choices =
  (holder: (text: string) => object): Dialect['event'] =>
  (texts, isLast) => ({
    ...chunk,
    choices: texts.map((text, index) => ({ index, ...holder(text), finish_reason: reasonOf(isLast) })),
  });
const inChoices =
  (textOf: (choice: { delta: Body; text: string }) => string | undefined): Dialect['textsIn'] =>
  (body) =>
    ((body['choices'] ?? []) as { index: number; delta: Body; text: string }[]).reduce<string[]>(
      (texts, choice) => Object.assign(texts, { [choice.index]: textOf(choice) ?? '' }),
      [],
    );
const chat = {
  path: '/v1/chat/completions',
  provider: '@main',
  request: { model: 'm', stream: true, messages: [{ role: 'user', content: PROMPT }] },
  endMark: ['[DONE]'],
};
const parts = (text: string): object => ({
  role: 'model',
  parts: [{ text: text.slice(0, 3) }, { text: text.slice(3) }],
});

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'chat completions': {
    ...chat,
    event: choices((content) => ({ delta: { content } })),
    textsIn: inChoices(({ delta }) => delta['content']),
  },
  'reasoning in chat completions': {
    ...chat,
    event: choices((reasoning_content) => ({ delta: { reasoning_content } })),
    textsIn: inChoices(({ delta }) => delta['reasoning_content']),
  },
  completions: {
    ...chat,
    path: '/v1/completions',
    request: { model: 'm', stream: true, prompt: PROMPT },
    event: choices((text) => ({ text })),
    textsIn: inChoices(({ text }) => text),
  },
  Gemini: {
    path: '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
    provider: '@gemini',
    request: { contents: [{ role: 'user', parts: [{ text: PROMPT }] }] },
    event: (texts, isLast) => ({
      responseId: 'r',
      candidates: texts.map((text, index) => ({
        index,
        content: parts(text),
        ...(isLast && { finishReason: 'STOP' }),
      })),
    }),
    endMark: [],
    textsIn: (body) =>
      ((body['candidates'] ?? []) as { index: number; content?: { parts: { text?: string }[] } }[]).reduce<
        string[]
      >(
        (texts, { index, content }) =>
          Object.assign(texts, { [index]: (content?.parts ?? []).map(({ text }) => text ?? '').join('') }),
        [],
      ),
  },
};

describe('guarded stream whose last event has both text and the end', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('gemini', 'google', stub.origin);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const streamed = async (
    { path, provider, request, endMark }: Dialect,
    config: object,
    events: readonly object[],
  ): Promise<{ readonly bodies: readonly Body[]; readonly text: string }> => {
    stub.respondEvents([...events.map((event) => JSON.stringify(event)), ...endMark]);
    const response = await fetch(new URL(path, gateway.baseUrl), {
      method: 'POST',
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'content-type': 'application/json',
        'x-gw-config': JSON.stringify({ provider, ...config }),
      },
      body: JSON.stringify(request),
    });
    const text = await response.text();
    const bodies = text
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)) as Body);
    return { bodies, text };
  };
  const joined = ({ textsIn }: Dialect, bodies: readonly Body[]): string[] =>
    bodies.map(textsIn).reduce<string[]>((texts, more) => {
      more.forEach((text, at) => (texts[at] = (texts[at] ?? '') + text));
      return texts;
    }, []);

  describe.each(Object.entries(DIALECTS))('%s', (_, dialect) => {
    it('keeps the order of a text that a guardrail holds back', async () => {
      const config = { output_guardrails: [{ pii: { redact: true, scope: ['all'] } }] };
      const events = [
        dialect.event(['Yes. ', 'No. '], false),
        dialect.event(['Thanks, call 555', 'Write to bob@example.com'], true),
      ];
      const { bodies } = await streamed(dialect, config, events);
      const [first = '', second = ''] = joined(dialect, bodies);
      expect(first).toBe('Yes. Thanks, call 555');
      expect(second).toMatch(/^No\. Write to \S+$/);
      expect(second).not.toContain('bob@example.com');
    });

    it('keeps the order of a text that ends in the beginning of a placeholder', async () => {
      const config = { input_guardrails: [{ 'gw.pii': { redact: true, reversible: true } }] };
      const { bodies } = await streamed(dialect, config, [
        dialect.event(['Sent to [EMAIL_ADD'], false),
        dialect.event(['RESS_1], see [EMAIL'], true),
      ]);
      expect(joined(dialect, bodies)).toEqual(['Sent to ann@example.com, see [EMAIL']);
    });

    it('sends no text that follows a denied one in the event', async () => {
      const config = {
        output_guardrails: [{ deny: true, contains: { words: ['secret'], operator: 'none' } }],
      };
      const { bodies, text } = await streamed(dialect, config, [
        dialect.event(['Listen: '], false),
        dialect.event(['it is a secret, he said'], true),
      ]);
      expect(text).toContain('hooks_failed');
      expect(text).not.toContain('secret');
      expect(joined(dialect, bodies)).toEqual(['Listen: it is a ']);
    });
  });

  it('keeps a call of Gemini in its event, after the text before it', async () => {
    const call = (args: object): object => ({ functionCall: { name: 'f', args } });
    const event = (args: object): object => ({
      candidates: [{ index: 0, content: { parts: [{ text: 'I call ' }, call(args)] }, finishReason: 'STOP' }],
    });
    const config = { output_guardrails: [{ pii: { redact: true, scope: ['all'] } }] };
    const args = { a: 'to bob@example.com', b: 'call 555' };
    const { bodies } = await streamed(DIALECTS['Gemini'] as Dialect, config, [event(args)]);
    expect(bodies).toEqual([event({ ...args, a: expect.not.stringContaining('bob') as string })]);
  });

  it('keeps the order of the arguments of a call in chat completions', async () => {
    const dialect = DIALECTS['chat completions'] as Dialect;
    const call = choices((text) => ({
      delta: { tool_calls: [{ index: 0, function: { arguments: text } }] },
    }));
    const config = { output_guardrails: [{ pii: { redact: true, scope: ['all'] } }] };
    const { bodies } = await streamed(dialect, config, [call(['{"n":'], false), call(['"call 555"}'], true)]);
    const calls = bodies.flatMap((body) =>
      (
        body['choices'] as unknown as { delta: { tool_calls?: { function: { arguments: string } }[] } }[]
      ).flatMap(({ delta }) => delta.tool_calls ?? []),
    );
    expect(calls.map((each) => each.function.arguments).join('')).toBe('{"n":"call 555"}');
  });

  it.each<[string, Dialect, object]>([
    [
      'chat completions',
      DIALECTS['chat completions'] as Dialect,
      { ...chunk, error: { message: 'overloaded' }, choices: [{ index: 0, delta: { content: 'a secret' } }] },
    ],
    [
      'Gemini',
      DIALECTS['Gemini'] as Dialect,
      { error: { message: 'overloaded' }, candidates: [{ index: 0, content: parts('a secret') }] },
    ],
    [
      'responses',
      {
        ...chat,
        path: '/v1/responses',
        request: { model: 'm', stream: true, input: PROMPT },
        endMark: [],
      } as unknown as Dialect,
      {
        type: 'response.failed',
        response: {
          id: 'r',
          status: 'failed',
          error: { code: 'server_error', message: 'overloaded' },
          output: [{ type: 'message', content: [{ type: 'output_text', text: 'a secret' }] }],
        },
      },
    ],
  ])('sends no unjudged text in an error event of %s', async (_, dialect, event) => {
    const config = { output_guardrails: [{ deny: true, contains: { words: ['secret'], operator: 'none' } }] };
    const { text } = await streamed(dialect, config, [event]);
    expect(text).toContain('overloaded');
    expect(text).not.toContain('secret');
  });
});
