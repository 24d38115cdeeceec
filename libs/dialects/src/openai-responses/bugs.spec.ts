import type { JsonObject } from '../call';
import { accumulated } from '../spec-support/openai-responses-sdk';
import { contextOf, streamed } from '../spec-support/responses-cases';
import { fromChat, toChat, translated } from '../spec-support/responses-translations';
import { openAiResponsesClient } from '.';

const sse = (...frames: readonly JsonObject[]): Buffer =>
  Buffer.from(
    frames.map((frame) => `event: ${String(frame['type'])}\ndata: ${JSON.stringify(frame)}\n\n`).join(''),
  );
const RESPONSE = { id: 'resp_1', object: 'response', created_at: 5, model: 'm', output: [] };
const USAGE = { input_tokens: 8, output_tokens: 2, total_tokens: 10 };

describe('known bugs of other gateways, in the Responses API', () => {
  it('writes {} exactly once for a call without arguments', async () => {
    const { response } = await accumulated(
      streamed([
        { t: 'start', id: 'x', model: 'm', created: 1 },
        { t: 'open', c: 0, i: 0, part: { kind: 'tool_call', id: 'c1', name: 'f', args: '' } },
        { t: 'close', c: 0, i: 0 },
        { t: 'finish', c: 0, finish: { reason: 'tool_calls' } },
        { t: 'done' },
      ]),
    );
    expect(response['output']).toMatchObject([{ call_id: 'c1', arguments: '{}' }]);
  });

  it('the first chunk of a chat client carries the role', () => {
    const call = fromChat({ stream: true });
    const text = call.stream().write(sse({ type: 'response.created', response: RESPONSE }));
    expect(text).toContain('"role":"assistant"');
  });

  it('announces reasoning and its text before the message', async () => {
    const { events } = await accumulated(
      streamed([
        { t: 'start', id: 'x', model: 'm', created: 1 },
        { t: 'open', c: 0, i: 0, part: { kind: 'reasoning', text: '' } },
        { t: 'text', c: 0, i: 0, text: 'hm' },
        { t: 'close', c: 0, i: 0 },
        { t: 'open', c: 0, i: 1, part: { kind: 'text', text: '' } },
        { t: 'text', c: 0, i: 1, text: 'ok' },
        { t: 'close', c: 0, i: 1 },
        { t: 'finish', c: 0, finish: { reason: 'stop' } },
        { t: 'done' },
      ]),
    );
    expect(events.map(({ type }) => type.slice('response.'.length))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    const ids = events.flatMap((event) => ('item_id' in event ? [event.item_id] : []));
    expect(new Set(ids).size).toBe(2);
  });

  it('writes whole events when the bytes of the provider are cut', () => {
    const stream = fromChat({ stream: true }).stream();
    const bytes = sse(
      { type: 'response.created', response: RESPONSE },
      {
        type: 'response.output_text.delta',
        item_id: 'm',
        output_index: 0,
        content_index: 0,
        delta: 'zürich',
      },
    );
    for (let at = 0; at < bytes.length; at += 1) {
      const text = stream.write(bytes.subarray(at, at + 1));
      expect(text === '' || text.endsWith('\n\n')).toBe(true);
    }
  });

  it('does not deliver an incomplete call as done when the stream is truncated', () => {
    const stream = translated('openai-responses', 'openai-responses', {
      model: 'm',
      input: 'x',
      stream: true,
    }).stream();
    const call = { id: 'fc_1', type: 'function_call', call_id: 'c1', name: 'f', arguments: '' };
    const text =
      stream.write(
        sse(
          { type: 'response.created', response: RESPONSE },
          { type: 'response.output_item.added', output_index: 0, item: call },
          {
            type: 'response.function_call_arguments.delta',
            output_index: 0,
            item_id: 'fc_1',
            delta: '{"a":',
          },
        ),
      ) + stream.end();
    expect(text).not.toContain('arguments.done');
    expect(text).toContain('event: response.failed');
    expect(stream.failed).toBe(true);
  });

  it('a ping keeps the connection alive with a comment', () => {
    const encoder = openAiResponsesClient.encodeStream(contextOf());
    expect(encoder.write([{ t: 'start', id: 'x', model: 'm', created: 1 }, { t: 'ping' }])).toMatch(
      /\n\n: .*\n\n$/,
    );
  });

  it('created_at is in seconds', () => {
    expect(
      toChat({}).response({
        id: 'x',
        created: 1_700_000_000,
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
      }),
    ).toMatchObject({ created_at: 1_700_000_000, completed_at: 1_700_000_000 });
  });

  it.each(['incomplete', 'failed'])('the usage of an %s event is charged', (status) => {
    const stream = fromChat({ stream: true }).stream();
    const error = { code: 'server_error', message: 'x' };
    stream.write(sse({ type: `response.${status}`, response: { ...RESPONSE, status, usage: USAGE, error } }));
    expect(stream.usage).toMatchObject({ input: 8, output: 2 });
  });

  it('counts reasoning tokens next to the output once', () => {
    const usage = { ...USAGE, output_tokens_details: { reasoning_tokens: 5 }, total_tokens: 15 };
    expect(fromChat({}).response({ ...RESPONSE, status: 'completed', output: [], usage })).toMatchObject({
      usage: { completion_tokens: 7, total_tokens: 15 },
    });
  });

  it('effort and raw reasoning text pass both ways', () => {
    expect(toChat({ reasoning: { effort: 'low' } }).body).toMatchObject({ reasoning_effort: 'low' });
    const call = fromChat({ reasoning_effort: 'low' });
    expect(call.body).toMatchObject({ reasoning: { effort: 'low' } });
    const item = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'raw' }],
    };
    expect(call.response({ ...RESPONSE, status: 'completed', output: [item] })).toMatchObject({
      choices: [{ message: { reasoning_content: 'raw' } }],
    });
  });

  it.each([null, undefined])('leaves out a reasoning item with encrypted_content %s', (content) => {
    const item = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      ...(content === null ? { encrypted_content: null } : {}),
    };
    const body = { input: [{ role: 'user', content: 'a' }, item, { role: 'user', content: 'b' }] };
    expect(toChat(body).body['messages']).toHaveLength(2);
  });

  it('without the store, only sealed reasoning is sent back', () => {
    const body = {
      model: 'm',
      store: false,
      input: [
        { role: 'user', content: 'a' },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'x' }] },
        { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'enc' },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: 'c' },
      ],
    };
    const { input } = translated('openai-responses', 'openai-responses', body).body;
    expect(input).toMatchObject([{ role: 'user' }, { id: 'rs_2', encrypted_content: 'enc' }, {}, {}]);
  });

  it('tool_choice none passes', () => {
    expect(
      fromChat({ tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: 'none' }).body,
    ).toMatchObject({
      tool_choice: 'none',
    });
  });

  it('an empty list of tools is left out', () => {
    expect(fromChat({ tools: [] }).body).not.toHaveProperty('tools');
  });

  it('the content of a tool may be a list of parts', () => {
    const messages = [
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      {
        role: 'tool',
        tool_call_id: 'c1',
        content: [
          { type: 'text', text: 'x' },
          { type: 'text', text: 'y' },
        ],
      },
    ];
    expect(fromChat({ messages }).body['input']).toMatchObject([
      {},
      { type: 'function_call', call_id: 'c1', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: [{ text: 'x' }, { text: 'y' }] },
    ]);
  });

  it('falsy values are sent', () => {
    const model = 'gpt-4.1';
    expect(fromChat({ temperature: 0, top_p: 0 }, { model }).body).toMatchObject({
      temperature: 0,
      top_p: 0,
    });
  });
});
