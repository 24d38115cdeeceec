import type { JsonObject } from '../call';
import type { ProviderContext } from '../codec';
import type { StreamEvent } from '../response';
import { accumulated } from '../spec-support/openai-responses-sdk';
import { CASES, contextOf, eventsOf, responseOf, streamed } from '../spec-support/responses-cases';
import { fold } from '../stream/fold';
import { targetOf } from '../target';
import { openAiResponsesClient, openAiResponsesProvider } from '.';

const contextFor = (provider = 'openai'): ProviderContext => ({
  call: contextOf().call,
  target: targetOf({ provider, dialect: 'openai-responses', model: 'gpt-5.4' }),
  requestId: 'req_1',
  createdAt: 1_700_000_000,
});

/** Decodes a stream that is split after every `size` bytes. */
function decoded(text: string, size = text.length, context = contextFor()): StreamEvent[] {
  const decoder = openAiResponsesProvider.decodeStream(context);
  const bytes = Buffer.from(text);
  const events: StreamEvent[] = [];
  for (let at = 0; at < bytes.length; at += size)
    events.push(...decoder.write(bytes.subarray(at, at + size)));
  return [...events, ...decoder.end()];
}

const sse = (...frames: readonly JsonObject[]): string =>
  frames.map((frame) => `event: ${String(frame['type'])}\ndata: ${JSON.stringify(frame)}\n\n`).join('');

const CREATED = {
  type: 'response.created',
  response: {
    id: 'resp_1',
    object: 'response',
    created_at: 5,
    model: 'm',
    status: 'in_progress',
    output: [],
  },
};
const ended = (type: string, response: JsonObject = {}): JsonObject => ({
  type: `response.${type}`,
  response: { ...CREATED.response, status: type, ...response },
});
const added = (item: JsonObject, index = 0): JsonObject => ({
  type: 'response.output_item.added',
  output_index: index,
  item,
});
const done = (item: JsonObject, index = 0): JsonObject => ({
  type: 'response.output_item.done',
  output_index: index,
  item,
});

describe('streams of providers of the Responses API', () => {
  it.each(CASES)('keeps %s when its stream is decoded and encoded again', async (_title, parts) => {
    const text = streamed(eventsOf(parts));
    const again = streamed(decoded(text));
    expect((await accumulated(again)).response).toEqual((await accumulated(text)).response);
  });

  it.each(CASES)('decodes %s to the same events wherever its bytes are cut', (_title, parts) => {
    const text = streamed(eventsOf(parts));
    const whole = decoded(text);
    expect(decoded(text, 1)).toEqual(whole);
    expect(decoded(text, 7)).toEqual(whole);
  });

  it.each(CASES)('folds %s to the decoded response', (_title, parts) => {
    const whole = openAiResponsesClient.encodeResponse(responseOf(parts), contextOf());
    const response = openAiResponsesProvider.decodeResponse(whole, contextFor());
    const { serviceTier: _, ...folded } = response;
    const plain = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (name, member: unknown) => (name === 'x' ? undefined : member)));
    expect(plain(fold(decoded(streamed(eventsOf(parts)))))).toEqual(plain(folded));
  });

  it('write a text that arrived without deltas once', () => {
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
    };
    for (const frames of [
      [CREATED, added({ ...message, content: [] }), done(message), ended('completed', { output: [message] })],
      [CREATED, ended('completed', { output: [message] })],
    ]) {
      expect(fold(decoded(sse(...frames))).candidates).toMatchObject([
        { parts: [{ kind: 'text', text: 'Hi' }] },
      ]);
    }
  });

  it('write arguments that arrived without deltas, or with the item', () => {
    const call = { id: 'fc_1', type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' };
    const expected = [{ kind: 'tool_call', id: 'c1', name: 'f', args: '{"a":1}' }];
    for (const first of [call, { ...call, arguments: '' }]) {
      const { candidates } = fold(decoded(sse(CREATED, added(first), done(call), ended('completed'))));
      expect(candidates).toMatchObject([{ parts: expected, finish: { reason: 'tool_calls' } }]);
    }
  });

  it('join the parts of a summary as paragraphs, and keep the seal', () => {
    const part = (index: number, text: string): JsonObject[] => [
      {
        type: 'response.reasoning_summary_part.added',
        item_id: 'rs_1',
        output_index: 0,
        summary_index: index,
        part: { type: 'summary_text', text: '' },
      },
      {
        type: 'response.reasoning_summary_text.delta',
        item_id: 'rs_1',
        output_index: 0,
        summary_index: index,
        delta: text,
      },
    ];
    const summary = [
      { type: 'summary_text', text: 'a' },
      { type: 'summary_text', text: 'b' },
    ];
    const item = { id: 'rs_1', type: 'reasoning', summary, encrypted_content: 'enc' };
    const text = sse(
      CREATED,
      added({ ...item, summary: [] }),
      ...part(0, 'a'),
      ...part(1, 'b'),
      done(item),
      ended('completed'),
    );
    const expected = [
      {
        kind: 'reasoning',
        text: 'a\n\nb',
        summary: true,
        itemId: 'rs_1',
        seal: { by: 'openai', value: 'enc' },
      },
    ];
    expect(fold(decoded(text)).candidates).toMatchObject([{ parts: expected }]);
    const { candidates } = openAiResponsesProvider.decodeResponse(
      { ...(ended('completed')['response'] as JsonObject), output: [item] },
      contextFor(),
    );
    expect(candidates).toMatchObject([{ parts: expected }]);
  });

  it('name xAI as the maker of its seals', () => {
    const item = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'enc' };
    const events = decoded(
      sse(CREATED, added(item), done(item), ended('completed')),
      undefined,
      contextFor('x-ai'),
    );
    expect(fold(events).candidates).toMatchObject([{ parts: [{ seal: { by: 'xai', value: 'enc' } }] }]);
  });

  it('count web searches', () => {
    const search = {
      id: 'ws_1',
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search', query: 'q' },
    };
    const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
    const events = decoded(sse(CREATED, added(search), done(search), ended('completed', { usage })));
    expect(fold(events).usage).toMatchObject({ input: 1, output: 2, searches: 1 });
  });

  it.each([
    [{ type: 'error', code: 'rate_limit_exceeded', message: 'slow', param: null }, 'rate', 429],
    [{ type: 'error', error: { type: 'server_error', code: null, message: 'slow' } }, 'server', 500],
    [ended('failed', { error: { code: 'rate_limit_exceeded', message: 'slow' } }), 'rate', 429],
    [ended('failed', { error: { code: 'insufficient_quota', message: 'slow' } }), 'billing', 402],
    [ended('failed', { error: null }), 'server', 500],
  ])('ends a stream with an error after %j', (frame, faultClass, status) => {
    const events = decoded(sse(CREATED, frame, ended('completed')));
    expect(events.at(-1)).toMatchObject({ t: 'error', fault: { class: faultClass, status } });
  });

  it.each([
    ['without an end', sse(CREATED, added({ type: 'message', content: [] }))],
    ['in the middle of an event', sse(CREATED, ended('completed')).slice(0, -30)],
    ['before the first event', ''],
  ])('ends a stream with an error when the provider closes %s', (_title, text) => {
    const events = decoded(text);
    expect(events.at(-1)).toMatchObject({ t: 'error', fault: { code: 'stream_interrupted' } });
    expect(events.some(({ t }) => t === 'done' || t === 'finish')).toBe(false);
  });

  it.each([
    'data: 1\n\n',
    'data: {"type":"response.completed","response":7}\n\n',
    'data: {}\n\n',
    'data: {"type":"response.output_item.done","item":[]}\n\n',
  ])('never throws for the stream %j', (text) => {
    expect(decoded(text).at(-1)).toMatchObject({ t: expect.stringMatching(/^(?:error|done)$/) as string });
  });

  it('fail when a provider sends endless items', () => {
    const frames = Array.from({ length: 5_000 }, (_, index) =>
      done({ type: 'reasoning', summary: [] }, index),
    );
    expect(decoded(sse(CREATED, ...frames)).at(-1)).toMatchObject({ t: 'error' });
  });
});
