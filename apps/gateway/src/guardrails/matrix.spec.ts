import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { StubProvider, type StubResponse } from '@gw/testing';
import { TestClient, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness } from '../spec-support/harness';

const TEXT = 'a forbidden word of it';
const EVENTS = { 'content-type': 'text/event-stream' };

interface Route {
  readonly path: string;
  readonly provider?: string;
  readonly body: object | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly response: object;
  /** Events of a streamed response; null when the route has no streams. */
  readonly events: readonly object[] | null;
  readonly isCompressed?: boolean;
}

const user = { role: 'user', content: 'Hi' };
const chatChunk = (delta: object): object => ({ choices: [{ index: 0, delta }] });
const halves = [TEXT.slice(0, 7), TEXT.slice(7)] as const;
const chatCall = (args: string): object => ({ index: 0, function: { name: 'f', arguments: args } });
const blockDelta = (delta: object): object => ({ type: 'content_block_delta', index: 0, delta });
const messagesEvents = (block: object, deltas: readonly object[]): readonly object[] => [
  { type: 'message_start', message: { id: 'm', model: 'c', usage: { input_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: block },
  ...deltas.map(blockDelta),
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];
const CHAT: Route = {
  path: '/chat/completions',
  body: { model: 'm', messages: [{ role: 'user', content: TEXT }] },
  response: { choices: [{ index: 0, message: { role: 'assistant', content: TEXT } }] },
  events: halves.map((content) => chatChunk({ content })),
};
const MESSAGES: Route = {
  path: '/messages',
  provider: '@claude',
  body: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: TEXT }] },
  response: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: TEXT }],
    usage: {},
  },
  events: messagesEvents(
    { type: 'text', text: '' },
    halves.map((text) => ({ type: 'text_delta', text })),
  ),
};
const RESPONSES: Route = {
  path: '/responses',
  body: { model: 'm', input: TEXT },
  response: { output: [{ type: 'message', content: [{ type: 'output_text', text: TEXT }] }] },
  events: [
    ...halves.map((delta) => ({ type: 'response.output_text.delta', output_index: 0, delta })),
    { type: 'response.completed', response: { id: 'r', output: [] } },
  ],
};
const odd = { anything: [TEXT] };

const ROUTES: Readonly<Record<string, Route>> = {
  'chat completions': CHAT,
  'chat completions, tools': {
    ...CHAT,
    body: { model: 'm', messages: [user, { role: 'tool', tool_call_id: 'x', content: TEXT }] },
    response: { choices: [{ index: 0, message: { tool_calls: [chatCall(TEXT)] } }] },
    events: halves.map((half) => chatChunk({ tool_calls: [chatCall(half)] })),
  },
  'chat completions, compressed': { ...CHAT, isCompressed: true },
  'chat completions, translated': { ...MESSAGES, path: CHAT.path, body: CHAT.body },
  'saved prompts': { ...CHAT, path: '/prompts/pp-matrix/completions', body: { variables: { text: TEXT } } },
  messages: MESSAGES,
  'messages, tools': {
    ...MESSAGES,
    body: {
      model: 'm',
      max_tokens: 9,
      messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: TEXT }] }],
    },
    response: { id: 'm', type: 'message', content: [{ type: 'tool_use', name: 'f', input: odd }], usage: {} },
    events: messagesEvents(
      { type: 'tool_use', id: 'x', name: 'f', input: {} },
      halves.map((half) => ({ type: 'input_json_delta', partial_json: half })),
    ),
  },
  responses: RESPONSES,
  'responses, tools': {
    ...RESPONSES,
    body: { model: 'm', input: [{ type: 'function_call_output', call_id: 'x', output: TEXT }] },
    response: { output: [{ type: 'function_call', name: 'f', arguments: TEXT }] },
    events: [
      ...halves.map((delta) => ({ type: 'response.function_call_arguments.delta', output_index: 0, delta })),
      { type: 'response.completed', response: { id: 'r', output: [] } },
    ],
  },
  completions: {
    path: '/completions',
    body: { model: 'm', prompt: TEXT },
    response: { choices: [{ index: 0, text: TEXT }] },
    events: halves.map((text) => ({ choices: [{ index: 0, text }] })),
  },
  embeddings: {
    path: '/embeddings',
    body: { model: 'm', input: [TEXT] },
    response: { data: [{ embedding: [1] }] },
    events: null,
  },
  moderations: {
    path: '/moderations',
    body: { model: 'm', input: TEXT },
    response: { results: [] },
    events: null,
  },
  images: {
    path: '/images/generations',
    body: { model: 'm', prompt: TEXT },
    response: { data: [{ revised_prompt: TEXT }] },
    events: null,
  },
  forms: {
    path: '/images/edits',
    headers: { 'content-type': 'multipart/form-data; boundary=XYZ' },
    body: Buffer.from(
      [
        `--XYZ\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n`,
        `--XYZ\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n\x89PNG\r\n`,
        `--XYZ\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n${TEXT}\r\n--XYZ--\r\n`,
      ].join(''),
      'latin1',
    ),
    response: { data: [{ revised_prompt: TEXT }] },
    events: null,
  },
  passthrough: {
    path: '/odd/route',
    body: { model: 'm', ...odd },
    response: odd,
    events: halves.map((t) => ({ t })),
  },
  'passthrough of a known dialect': { ...CHAT, path: '/odd/v2/chat/completions' },
};

const document = readFileSync(resolve(__dirname, '../../../../docs/guardrails.md'), 'utf8');
/** The cells of a table in the documentation, without its header. */
const tableOf = (name: string): readonly (readonly string[])[] =>
  (new RegExp(`<!-- ${name} -->([^]*?)<!-- /${name} -->`).exec(document)?.[1] ?? '')
    .trim()
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

type Outcome = 'denied' | 'marked' | 'passed';
type Channel = 'request' | 'response' | 'stream';

const outcomes = tableOf('outcomes').map(
  ([actions = '', fails, cannotDecide]) =>
    [JSON.parse(actions.replaceAll('`', '')) as object, fails as Outcome, cannotDecide as Outcome] as const,
);
const routes = tableOf('routes');

/**
 * For each kind of check, one that fails on `TEXT`. Checks of parameters and metadata judge only
 * requests.
 */
const FAILING: Readonly<Record<string, { check: object; onlyRequests?: true }>> = {
  'a text check with a window': {
    check: { contains: { words: ['forbidden'], operator: 'none', scope: ['all'] } },
  },
  'a text check of the whole': { check: { wordCount: { maxWords: 2, scope: ['all'] } } },
  'a check of parameters': {
    check: { allowedRequestTypes: { allowedTypes: ['rerank'] } },
    onlyRequests: true,
  },
  'a check of metadata': {
    check: { requiredMetadataKeys: { metadataKeys: ['nowhere'] } },
    onlyRequests: true,
  },
};
const UNDECIDED: Readonly<Record<string, StubResponse>> = {
  'an error': { status: 500, body: {} },
  'a response without a verdict': { body: { verdict: 'yes' } },
  silence: { neverRespond: true },
};

describe('tables of the documentation', () => {
  it('lists the routes tested here, and all outcomes', () => {
    expect(routes.map(([route]) => route)).toEqual(Object.keys(ROUTES));
    expect(outcomes).toHaveLength(6);
  });
});

describe.each(routes)(
  '[GRD-02] guardrails on the route of %s',
  (name = '', requestTrait, responseTrait, streamTrait) => {
    const route = ROUTES[name] as Route;
    let gateway: GatewayHarness;
    let stub: StubProvider;
    let hook: StubProvider;
    const asker = new TestClient(() => gateway);

    beforeAll(async () => {
      gateway = await GatewayHarness.start();
      [stub, hook] = await Promise.all([StubProvider.start(), StubProvider.start()]);
      gateway.addProvider('main', 'openai', stub.origin);
      gateway.addProvider('claude', 'anthropic', stub.origin);
      const template = JSON.stringify([{ role: 'user', content: '{{text}}' }]);
      gateway.addPrompt('pp-matrix', [{ template, model: 'm' }]);
    });
    afterAll(async () => {
      await Promise.all([gateway.stop(), stub.stop(), hook.stop()]);
    });

    function script(streams: boolean): StubResponse {
      const text = streams
        ? (route.events ?? [])
            .map((event) => {
              const type = (event as { type?: string }).type;
              return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`;
            })
            .join('') +
          (route.body !== MESSAGES.body && route.path !== '/responses' ? 'data: [DONE]\n\n' : '')
        : JSON.stringify(route.response);
      const headers = streams ? EVENTS : { 'content-type': 'application/json' };
      return route.isCompressed === true
        ? { headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(text) }
        : { headers, body: text };
    }

    function ask(channel: Channel, guardrail: object, streams = channel === 'stream'): Promise<TestResponse> {
      stub.respond(script(streams));
      const { body, headers = {}, provider = '@main', path } = route;
      const side = channel === 'request' ? 'input_guardrails' : 'output_guardrails';
      const config = { provider, [side]: [guardrail] };
      const sent = Buffer.isBuffer(body) || !streams ? body : { ...body, stream: true };
      return asker.ask(path, sent, { config, headers });
    }

    /**
     * Derives the outcome from the response. Expects it to have the documented form and to contain
     * no denied text.
     */
    function outcomeOf({ status, text }: TestResponse, how: string, isHeld = false): Outcome {
      const inEvents = how === 'event';
      if (status === 446 || text.includes('hooks_failed')) {
        expect(status).toBe(inEvents && !isHeld ? 200 : 446);
        expect(text).not.toContain('forbidden');
        return 'denied';
      }
      const isMarked = inEvents ? text.includes('"hook_results"') : status === 246;
      expect(`${String(status)} ${status === 400 ? text : ''}`).toBe(isMarked && !inEvents ? '246 ' : '200 ');
      return isMarked ? 'marked' : 'passed';
    }

    async function expectAll(channel: Channel, how: string, check: object, cell: 1 | 2): Promise<void> {
      for (const outcome of outcomes) {
        const expected = outcome[cell];
        const response = await ask(channel, { ...outcome[0], ...check });
        const judged = [outcome[0], outcomeOf(response, how, !('contains' in check))];
        expect(judged).toEqual([outcome[0], how === '–' && !('webhook' in check) ? 'passed' : expected]);
      }
    }

    const channels = (
      [
        ['request', requestTrait],
        ['response', responseTrait],
        ['stream', streamTrait],
      ] as const
    ).filter(([, how]) => how !== '' && how !== undefined) as [Channel, string][];

    it('streams if the table says so', () => {
      expect(streamTrait === '').toBe(route.events === null);
    });

    describe.each(channels)('judging the %s', (channel, how) => {
      const kinds = Object.entries(FAILING).filter(
        ([, { onlyRequests }]) => !onlyRequests || channel === 'request',
      );
      it.each(kinds)('applies the documented outcome when %s fails', async (_kind, { check }) => {
        await expectAll(channel, how, check, 1);
      });

      const webhook = (timeout = 10_000): object => ({
        webhook: { webhookURL: `${hook.origin}/`, executeOnProxy: true, timeout },
      });

      it('applies the documented outcome when a webhook fails', async () => {
        hook.respond({ body: { verdict: false } });
        await expectAll(channel, how, webhook(), 1);
      });

      it.each(Object.entries(UNDECIDED))(
        'applies the documented outcome when a webhook cannot decide: %s',
        async (_what, response) => {
          hook.respond(response);
          await expectAll(channel, how, webhook(60), 2);
        },
      );

      it('leaves the body unchanged when all checks pass', async () => {
        const passing = { deny: true, contains: { words: ['nowhere'], operator: 'none', scope: ['all'] } };
        const response = await ask(channel, passing);
        expect([response.status, outcomeOf(response, how)]).toEqual([200, 'passed']);
      });
    });

    it('judges a streaming request before its stream begins', async () => {
      if (route.events === null) return;
      const { check } = FAILING['a text check with a window'] as { check: object };
      expect((await ask('request', { deny: true, ...check }, true)).status).toBe(446);
      expect((await ask('request', check, true)).status).toBe(246);
    });
  },
);
