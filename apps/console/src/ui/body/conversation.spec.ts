import fc from 'fast-check';
import type { Part } from './conversation';
import { readConversation, type LoggedBody } from './read-conversation';

const json = (body: unknown): LoggedBody => ({
  content_type: 'application/json',
  bytes: 1,
  truncated: false,
  encoding: 'json',
  body,
});
const stream = (events: readonly unknown[]): LoggedBody => ({
  ...json(
    events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + 'data: [DONE]\n\ndata: {"cut',
  ),
  ...{ content_type: 'text/event-stream', encoding: 'utf8' },
});
const said = (message: { readonly role: string; readonly parts: readonly Part[] } | undefined): unknown => [
  message?.role,
  ...(message?.parts ?? []),
];

describe('readConversation', () => {
  it('reads chat: parts, tools, reasoning, refusal, media', () => {
    const found = readConversation(
      'chat.completions',
      json({
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is it?' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
              { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
            ],
          },
          { role: 'tool', tool_call_id: 'c1', content: '42' },
        ],
      }),
      json({
        choices: [
          {
            finish_reason: 'tool_calls',
            message: {
              role: 'assistant',
              reasoning_content: 'Hm.',
              content: null,
              tool_calls: [{ id: 'c2', function: { name: 'look', arguments: '{"at":1}' } }],
            },
          },
        ],
      }),
    );
    expect(said(found?.request[1])).toEqual([
      'user',
      { kind: 'text', text: 'What is it?' },
      { kind: 'media', type: 'image/png', base64: 'AAAA', url: null },
      { kind: 'media', type: 'image/*', base64: null, url: 'https://example.com/a.png' },
    ]);
    expect(said(found?.request[2])).toEqual([
      'tool',
      { kind: 'tool_result', id: 'c1', parts: [{ kind: 'text', text: '42' }] },
    ]);
    expect(said(found?.response[0])).toEqual([
      'assistant',
      { kind: 'reasoning', text: 'Hm.' },
      { kind: 'tool_call', name: 'look', id: 'c2', input: { at: 1 } },
    ]);
    expect(found?.response[0]?.finish).toBe('tool_calls');
  });

  it('assembles streams of chat', () => {
    const found = readConversation(
      'chat.completions',
      null,
      stream([
        { choices: [{ index: 0, delta: { role: 'assistant', content: 'Con' } }] },
        { choices: [{ index: 0, delta: { content: 'tract B' } }] },
        {
          choices: [
            {
              index: 0,
              delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"a"' } }] },
            },
          ],
        },
        {
          choices: [
            {
              index: 0,
              delta: { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
              finish_reason: 'stop',
            },
          ],
        },
        { choices: [], usage: {} },
      ]),
    );
    expect(said(found?.response[0])).toEqual([
      'assistant',
      { kind: 'text', text: 'Contract B' },
      { kind: 'tool_call', name: 'f', id: 'c', input: { a: 1 } },
    ]);
  });

  it('reads messages, whole and streamed', () => {
    const whole = readConversation(
      'messages',
      json({
        system: 'Brief.',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } },
              { type: 'tool_result', tool_use_id: 't', content: 'ok' },
            ],
          },
        ],
      }),
      json({
        role: 'assistant',
        stop_reason: 'end_turn',
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'text', text: 'Yes.' },
        ],
      }),
    );
    expect(said(whole?.request[1])).toEqual([
      'user',
      { kind: 'media', type: 'image/png', base64: 'AA', url: null },
      { kind: 'tool_result', id: 't', parts: [{ kind: 'text', text: 'ok' }] },
    ]);
    expect(said(whole?.response[0])).toEqual([
      'assistant',
      { kind: 'reasoning', text: 'Hm.' },
      { kind: 'text', text: 'Yes.' },
    ]);
    const streamed = readConversation(
      'messages',
      null,
      stream([
        { type: 'message_start', message: { role: 'assistant', content: [] } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Yes.' } },
        {
          type: 'content_block_start',
          index: 1,
          content_block: { type: 'tool_use', id: 't', name: 'f', input: {} },
        },
        {
          type: 'content_block_delta',
          index: 1,
          delta: { type: 'input_json_delta', partial_json: '{"a":1}' },
        },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      ]),
    );
    expect(said(streamed?.response[0])).toEqual([
      'assistant',
      { kind: 'text', text: 'Yes.' },
      { kind: 'tool_call', name: 'f', id: 't', input: { a: 1 } },
    ]);
    expect(streamed?.response[0]?.finish).toBe('tool_use');
  });

  it('reads responses, whole and from truncated streams', () => {
    const output = [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes.' }] },
    ];
    const whole = readConversation(
      'responses',
      json({ instructions: 'Brief.', input: 'Well?' }),
      json({ output }),
    );
    expect(whole?.request.map(said)).toEqual([
      ['system', { kind: 'text', text: 'Brief.' }],
      ['user', { kind: 'text', text: 'Well?' }],
    ]);
    expect(whole?.response.map(said)).toEqual([
      ['assistant', { kind: 'reasoning', text: 'Hm.' }],
      ['assistant', { kind: 'text', text: 'Yes.' }],
    ]);
    const done = readConversation(
      'responses',
      null,
      stream([{ type: 'response.completed', response: { output } }]),
    );
    expect(done?.response).toEqual(whole?.response);
    const cut = readConversation(
      'responses',
      null,
      stream([
        { type: 'response.output_text.delta', output_index: 0, delta: 'Ye' },
        { type: 'response.output_text.delta', output_index: 0, delta: 's.' },
      ]),
    );
    expect(said(cut?.response[0])).toEqual(['assistant', { kind: 'text', text: 'Yes.' }]);
  });

  it('reads a response with the member error, which is null after a success', () => {
    const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes.' }] }];
    const said = [{ role: 'assistant', parts: [{ kind: 'text', text: 'Yes.' }], finish: null }];
    const body = { status: 'completed', error: null, output };
    expect(readConversation('responses', null, json(body))?.response).toEqual(said);
    const events = [{ type: 'response.completed', response: body }];
    expect(readConversation('responses', null, stream(events))?.response).toEqual(said);
    const failed = { ...body, error: { message: 'no' } };
    expect(readConversation('responses', null, json(failed))).toBeNull();
  });

  it('assembles calls of custom tools from a stream', () => {
    const delta = (custom: object) => ({
      choices: [{ delta: { tool_calls: [{ index: 0, id: 'c', custom }] } }],
    });
    const events = [delta({ name: 'sql', input: 'select' }), delta({ input: ' 1' })];
    const found = readConversation('chat.completions', null, stream(events));
    expect(found?.response[0]?.parts).toEqual([
      { kind: 'tool_call', name: 'sql', id: 'c', input: 'select 1' },
    ]);
  });

  it('reads completions and embeddings', () => {
    const completion = readConversation(
      'completions',
      json({ prompt: ['Once'] }),
      json({ choices: [{ text: ' upon', finish_reason: 'length' }] }),
    );
    expect(said(completion?.response[0])).toEqual(['completion', { kind: 'text', text: ' upon' }]);
    const vectors = readConversation(
      'embeddings',
      json({ input: 'a' }),
      json({ data: [{ embedding: [0.1, 0.2] }] }),
    );
    expect(said(vectors?.response[0])).toEqual([
      'vector',
      { kind: 'vector', size: 2, beginning: [0.1, 0.2] },
    ]);
  });

  it('returns null for errors and other routes', () => {
    expect(readConversation('chat.completions', null, json({ error: { message: 'no' } }))).toBeNull();
    expect(readConversation('images.generations', json({ prompt: 'a' }), null)).toBeNull();
  });

  it('does not throw for any body', () => {
    const dialects = fc.constantFrom(
      'chat.completions',
      'responses',
      'messages',
      'completions',
      'embeddings',
    );
    const names = fc.constantFrom(
      'messages',
      'content',
      'choices',
      'delta',
      'message',
      'type',
      'input',
      'output',
      'role',
      'tool_calls',
      'function',
      'data',
      'text',
      'source',
      'index',
    );
    const leaf = fc.oneof(
      fc.string(),
      fc.nat(3),
      fc.constantFrom(null, true, 'text', 'image_url', 'message', 'constructor', '__proto__'),
    );
    const nested = (inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
      fc.oneof(leaf, fc.array(inner, { maxLength: 2 }), fc.dictionary(names, inner, { maxKeys: 4 }));
    const values = nested(nested(nested(leaf)));
    fc.assert(
      fc.property(
        dialects,
        fc.dictionary(names, values, { maxKeys: 5 }),
        fc.array(values, { maxLength: 5 }),
        (route, body, events) => {
          readConversation(route, json(body), json(body));
          readConversation(route, json(body), stream(events));
        },
      ),
      { numRuns: 200 },
    );
  });
});
