import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI, { toFile } from 'openai';
import { StubProvider } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';
import { lendDispatcher } from '../spec-support/lend-dispatcher';

interface Named {
  readonly type: string;
}

const TOKENS = { input_tokens: 9, output_tokens: 2, total_tokens: 11 };
const RUN = {
  id: 'run_1',
  object: 'thread.run',
  thread_id: 'thread_1',
  status: 'completed',
  model: 'gpt-4o',
};
const CLAUDE = 'claude-opus-4-8';

describe('streams of official clients, with only base URL and headers changed', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let openai: OpenAI;
  let anthropic: Anthropic;
  let google: GoogleGenAI;

  beforeAll(async () => {
    lendDispatcher();
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('claude', 'anthropic', stub.origin);
    gateway.addProvider('google', 'google', null, {
      configurations: { custom_host: `${stub.origin}/v1beta` },
    });
    const { apiKey } = gateway;
    const root = gateway.baseUrl.replace(/\/v1$/, '');
    openai = new OpenAI({
      apiKey,
      baseURL: gateway.baseUrl,
      maxRetries: 0,
      defaultHeaders: { 'x-gw-provider': '@main' },
    });
    anthropic = new Anthropic({
      apiKey,
      baseURL: root,
      maxRetries: 0,
      defaultHeaders: { 'x-gw-provider': '@claude' },
    });
    const headers = { 'x-gw-api-key': apiKey, 'x-gw-provider': '@google' };
    google = new GoogleGenAI({
      apiKey: 'not-used',
      httpOptions: { baseUrl: root, apiVersion: 'v1', headers },
    });
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });
  beforeEach(() => {
    stub.requests.length = 0;
  });

  /**
   * Responds with events that each have a name, as in responses, audio, images, runs and Anthropic.
   */
  const responseNamed = (events: readonly Named[]): void => {
    stub.respond({
      headers: { 'content-type': 'text/event-stream' },
      steps: events.map((event) => ({ chunk: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n` })),
    });
  };
  const all = async <T>(stream: AsyncIterable<T>): Promise<T[]> => {
    const seen: T[] = [];
    for await (const event of stream) seen.push(event);
    return seen;
  };
  const last = async (): Promise<LoggedRequest | undefined> => (await gateway.records()).at(-1);

  it('chat: streams chunks, tool calls and the usage that was requested', async () => {
    const chunk = (delta: object, usage: object | null = null) => ({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'gpt-4o',
      choices: usage === null ? [{ index: 0, delta, finish_reason: null }] : [],
      usage,
    });
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
    const events = [
      chunk({ role: 'assistant', content: 'Hel' }),
      chunk({ tool_calls: [call] }),
      chunk({}, { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }),
    ];
    stub.respondEvents([...events, '[DONE]']);
    const stream = await openai.chat.completions.create({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(await all(stream)).toEqual(events);
    expect(await last()).toMatchObject({
      route: 'chat.completions',
      streamed: true,
      usage: { inputTokens: 9 },
    });
  });

  it('streams speech, as events and as bytes', async () => {
    const events = [
      { type: 'speech.audio.delta', audio: 'aGk=' },
      { type: 'speech.audio.done', usage: TOKENS },
    ];
    responseNamed(events);
    const params = { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Hi' } as const;
    const speech = await openai.audio.speech.create({ ...params, stream_format: 'sse' });
    expect(await speech.text()).toBe(
      events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
    );
    expect(await last()).toMatchObject({ route: 'audio.speech', outcome: 'ok', usage: { outputTokens: 2 } });
    stub.respond({
      headers: { 'content-type': 'audio/mpeg' },
      steps: [{ chunk: Buffer.from([1, 2]) }, { waitMs: 5 }, { chunk: Buffer.from([3]) }],
    });
    const bytes = await (await openai.audio.speech.create(params)).arrayBuffer();
    expect([...new Uint8Array(bytes)]).toEqual([1, 2, 3]);
  });

  it('streams generated and edited images up to their own end events', async () => {
    const partial = { type: 'image_generation.partial_image', b64_json: 'aGk=', partial_image_index: 0 };
    const made = [partial, { type: 'image_generation.completed', b64_json: 'aGk=', usage: TOKENS }];
    responseNamed(made);
    const params = { model: 'gpt-image-1', prompt: 'A cat', stream: true } as const;
    expect(await all(await openai.images.generate(params))).toEqual(made);
    expect(await last()).toMatchObject({
      route: 'images.generations',
      outcome: 'ok',
      usage: { inputTokens: 9 },
    });
    const edited = [{ type: 'image_edit.completed', b64_json: 'aGk=', usage: TOKENS }];
    responseNamed(edited);
    const image = await toFile(Buffer.from('png'), 'a.png');
    expect(await all(await openai.images.edit({ ...params, image }))).toEqual(edited);
    expect(await last()).toMatchObject({ route: 'images.edits', outcome: 'ok', usage: { inputTokens: 9 } });
  });

  it('streams a stored response again', async () => {
    const events = [
      { type: 'response.completed', response: { id: 'resp_1', model: 'gpt-4o', usage: TOKENS } },
    ];
    responseNamed(events);
    const stream = await openai.responses.retrieve('resp_1', { stream: true, starting_after: 3 });
    expect(await all(stream)).toEqual(events);
    expect(stub.lastRequest.url).toBe('/v1/responses/resp_1?stream=true&starting_after=3');
    expect(await last()).toMatchObject({ route: 'responses.get', streamed: true, outcome: 'ok' });
  });

  it.each([
    ['with its thread', 'threads.runs.create_with_thread'],
    ['after tool outputs', 'threads.runs.submit_tool_outputs'],
  ])('streams a run, %s', async (how, route) => {
    stub.respond({
      headers: { 'content-type': 'text/event-stream' },
      steps: [
        { chunk: `event: thread.run.completed\ndata: ${JSON.stringify(RUN)}\n\n` },
        { chunk: 'event: done\ndata: [DONE]\n\n' },
      ],
    });
    const { threads } = openai.beta;
    const stream = how.startsWith('with')
      ? await threads.createAndRun({ assistant_id: 'asst_1', stream: true })
      : await threads.runs.submitToolOutputs('run_1', {
          thread_id: 'thread_1',
          tool_outputs: [],
          stream: true,
        });
    expect((await all(stream)).map(({ event }) => event)).toEqual(['thread.run.completed']);
    expect(await last()).toMatchObject({ route, streamed: true, outcome: 'ok' });
  });

  it('anthropic: streams a message after a token count, and a batch through passthrough', async () => {
    const params = { model: CLAUDE, messages: [{ role: 'user' as const, content: 'Hi' }] };
    stub.respondJson({ input_tokens: 12 });
    expect(await anthropic.messages.countTokens(params)).toEqual({ input_tokens: 12 });
    expect(stub.lastRequest.url).toBe('/v1/messages/count_tokens');
    expect(await last()).toMatchObject({ route: 'messages.count_tokens', outcome: 'ok', model: CLAUDE });

    const usage = { input_tokens: 9, output_tokens: 1 };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: CLAUDE, content: [], usage };
    responseNamed([
      { type: 'message_start', message } as Named,
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as Named,
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello!' } } as Named,
      { type: 'content_block_stop', index: 0 } as Named,
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } } as Named,
      { type: 'message_stop' },
    ]);
    const stream = anthropic.messages.stream({ ...params, max_tokens: 10 });
    expect(await stream.finalText()).toBe('Hello!');
    expect(stub.lastRequest.headers['x-api-key']).toBe('sk-claude');
    expect(await last()).toMatchObject({
      route: 'messages',
      streamed: true,
      usage: { inputTokens: 9, outputTokens: 2 },
    });

    stub.respondJson({ id: 'msgbatch_1', type: 'message_batch', processing_status: 'in_progress' });
    const requests = [{ custom_id: 'a', params: { ...params, max_tokens: 10 } }];
    expect(await anthropic.messages.batches.create({ requests })).toMatchObject({ id: 'msgbatch_1' });
    expect(stub.lastRequest.url).toBe('/v1/messages/batches');
    expect(await last()).toMatchObject({ route: 'passthrough' });
  });

  it('google: streams generated text, counts tokens and embeds texts', async () => {
    const part = (text: string, more: object = {}) => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] }, ...more }],
      usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6 },
      modelVersion: 'gemini-2.5-flash',
    });
    stub.respondEvents([part('Hel'), part('lo!', { finishReason: 'STOP' })]);
    const params = { model: 'gemini-2.5-flash', contents: 'Hi' };
    const seen = await all(await google.models.generateContentStream(params));
    expect(seen.map(({ text }) => text).join('')).toBe('Hello!');
    expect(stub.lastRequest.url).toBe('/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse');
    expect(await last()).toMatchObject({
      route: 'gemini.streamGenerateContent',
      streamed: true,
      outcome: 'ok',
      responseModel: 'gemini-2.5-flash',
      usage: { inputTokens: 4, outputTokens: 2 },
    });
    stub.respondJson({ totalTokens: 3 });
    expect((await google.models.countTokens(params)).totalTokens).toBe(3);
    stub.respondJson({ embeddings: [{ values: [0.5] }] });
    const embedded = await google.models.embedContent({ model: 'text-embedding-004', contents: 'Hi' });
    expect(embedded.embeddings?.[0]?.values).toEqual([0.5]);
    expect(stub.lastRequest.headers['x-goog-api-key']).toBe('sk-google');
  });
});
