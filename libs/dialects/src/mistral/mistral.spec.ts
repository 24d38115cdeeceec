import type { JsonObject, Part } from '../call';
import { decoded, encoded, refusal, streamed } from '../spec-support/provider-side';
import { fold } from '../stream/fold';
import { mistralProvider } from '.';

const user = (content: unknown): JsonObject => ({ role: 'user', content });
const call = (id: string, name: string, args: string): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const tool = (name: string, more: JsonObject = {}): JsonObject => ({
  type: 'function',
  function: { name, ...more },
});
const sent = (body: JsonObject): JsonObject => encoded(mistralProvider, body).body;
const refused = (body: JsonObject): readonly [string, string | undefined] =>
  refusal(() => encoded(mistralProvider, body));
const messagesOf = (body: JsonObject): JsonObject[] => body['messages'] as JsonObject[];

describe('mistral: messages', () => {
  it('maps ids to nine characters, equally in call and result', () => {
    const messages = [
      user('x'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [call('call_abc-1', 'f', '{}'), call('ab3DE6gh9', 'g', '')],
      },
      { role: 'tool', tool_call_id: 'call_abc-1', content: '1' },
      { role: 'tool', tool_call_id: 'ab3DE6gh9', content: '2' },
    ];
    const [, assistant, first, second] = messagesOf(sent({ messages }));
    const calls = assistant?.['tool_calls'] as JsonObject[];
    expect(calls[0]?.['id']).toMatch(/^m[A-Za-z0-9]{8}$/);
    expect(calls[1]).toEqual(call('ab3DE6gh9', 'g', '{}'));
    expect(first).toEqual({ role: 'tool', tool_call_id: calls[0]?.['id'], name: 'f', content: '1' });
    expect(second).toEqual({ role: 'tool', tool_call_id: 'ab3DE6gh9', name: 'g', content: '2' });
    expect(messagesOf(sent({ messages }))).toEqual([messages[0], assistant, first, second]);
  });

  it('sends back reasoning that Mistral signed, and leaves out any other', () => {
    const thinking = (signature: string): JsonObject => ({
      role: 'assistant',
      content: 'ok',
      reasoning_content: 'hm',
      thinking_blocks: [{ type: 'thinking', signature }],
    });
    const messages = [user('x'), thinking('gw1.mistral.s1'), user('y'), thinking('sig-of-claude'), user('z')];
    const [, own, , foreign] = messagesOf(sent({ messages }));
    expect(own).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }], signature: 's1' },
        { type: 'text', text: 'ok' },
      ],
    });
    expect(foreign).toEqual({ role: 'assistant', content: 'ok' });
  });

  it('keeps images of a tool result in their position', () => {
    const { body, losses } = encoded(
      mistralProvider,
      {
        max_tokens: 5,
        messages: [
          user('x'),
          { role: 'assistant', content: [{ type: 'tool_use', id: 't12345678', name: 'f', input: {} }] },
          user([
            {
              type: 'tool_result',
              tool_use_id: 't12345678',
              content: [
                { type: 'text', text: 'shot' },
                { type: 'image', source: { type: 'url', url: 'https://e.com/a.png' } },
              ],
            },
          ]),
        ],
      },
      { from: 'anthropic-messages' },
    );
    expect(messagesOf(body)[2]).toEqual({
      role: 'tool',
      tool_call_id: 't12345678',
      name: 'f',
      content: [
        { type: 'text', text: 'shot' },
        { type: 'image_url', image_url: { url: 'https://e.com/a.png' } },
      ],
    });
    expect(losses).toEqual([]);
  });

  it('writes documents by address and text documents as text', () => {
    const { body } = encoded(
      mistralProvider,
      {
        max_tokens: 5,
        messages: [
          user([
            { type: 'document', title: 'R', source: { type: 'url', url: 'https://e.com/a.pdf' } },
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
          ]),
        ],
      },
      { from: 'anthropic-messages' },
    );
    expect(messagesOf(body)[0]).toEqual({
      role: 'user',
      content: [
        { type: 'document_url', document_url: 'https://e.com/a.pdf', document_name: 'R' },
        { type: 'text', text: 'plain' },
      ],
    });
  });

  it('writes audio as base64, and refusals as text', () => {
    const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } };
    const { messages } = sent({
      messages: [user([audio]), { role: 'assistant', content: null, refusal: 'No.' }, user('x')],
    });
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'input_audio', input_audio: 'AAAA' }] },
      { role: 'assistant', content: 'No.' },
      { role: 'user', content: 'x' },
    ]);
  });

  it('leaves out names of participants and unknown image details, and reports the losses', () => {
    const image = { type: 'image_url', image_url: { url: 'https://e.com/a.png', detail: 'original' } };
    const { body, losses } = encoded(mistralProvider, {
      messages: [{ ...user([image]), name: 'ann' }],
    });
    expect(messagesOf(body)).toEqual([
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://e.com/a.png' } }] },
    ]);
    expect(losses.map(({ path }) => path).sort()).toEqual([
      'messages.0.content.0.image_url.detail',
      'messages.0.name',
    ]);
  });

  it('refuses files of another provider and video', () => {
    const file = { type: 'file', file: { file_id: 'file-1' } };
    expect(refused({ messages: [user([file])] })[0]).toBe('unsupported_by_provider');
    const video = { type: 'video_url', video_url: { url: 'https://e.com/v.mp4' } };
    expect(refused({ messages: [user([video])] })[0]).toBe('unsupported_by_provider');
  });
});

describe('mistral: parameters', () => {
  it('sends the subset of tools that may be called', () => {
    const body = sent({
      tools: [tool('f'), tool('g', { strict: true })],
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool('g')] } },
      parallel_tool_calls: false,
    });
    expect(body).toMatchObject({
      tools: [tool('g', { parameters: { type: 'object', properties: {} }, strict: true })],
      tool_choice: 'any',
      parallel_tool_calls: false,
    });
  });

  it('sends only members that Mistral has', () => {
    const { body, losses } = encoded(mistralProvider, {
      n: 2,
      temperature: 0,
      top_p: 0.5,
      stop: ['1', '2', '3', '4', '5'],
      frequency_penalty: 0,
      seed: 0,
      max_tokens: 5,
      logit_bias: {},
      min_p: 0,
      modalities: ['text'],
      verbosity: 'medium',
      user: 'u',
      store: true,
      metadata: { a: 'b' },
      prompt_cache_key: 'k',
      prompt_cache_retention: '24h',
      service_tier: 'default',
      prediction: { type: 'content', content: 'x' },
      response_format: { type: 'json_object' },
      stream: true,
    });
    expect(body).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      n: 2,
      temperature: 0,
      top_p: 0.5,
      stop: ['1', '2', '3', '4', '5'],
      frequency_penalty: 0,
      random_seed: 0,
      max_tokens: 5,
      metadata: { a: 'b' },
      prompt_cache_key: 'k',
      service_tier: 'standard_only',
      prediction: { type: 'content', content: 'x' },
      response_format: { type: 'json_object' },
    });
    expect(losses.map(({ path }) => path).sort()).toEqual(['prompt_cache_key', 'store', 'user']);
  });

  it.each<[string, JsonObject]>([
    ['temperature', { temperature: 1.8 }],
    ['logprobs', { logprobs: true, top_logprobs: 2 }],
    ['logit_bias', { logit_bias: { 1: 1 } }],
    ['top_k', { top_k: 5 }],
    ['min_p', { min_p: 0.1 }],
    ['verbosity', { verbosity: 'low' }],
    ['modalities', { modalities: ['audio'], audio: { voice: 'v', format: 'wav' } }],
    ['response_format', { response_format: { type: 'grammar', grammar: 'g' } }],
    ['tools.0', { tools: [{ type: 'custom', custom: { name: 'c' } }] }],
    ['web_search_options', { web_search_options: {} }],
  ])('refuses %s', (path, body) => {
    expect(refused(body)).toEqual(['unsupported_by_provider', path]);
  });

  it('adds the traits of the provider’s row to those of Mistral', () => {
    const { body, losses } = encoded(
      mistralProvider,
      { seed: 1, top_p: 0.5, user: 'u', metadata: { a: 'b' } },
      { traits: { drop: ['metadata'], rename: { top_p: 'nucleus' } } },
    );
    expect(body).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      random_seed: 1,
      nucleus: 0.5,
    });
    expect(losses.map(({ path, code }) => [path, code]).sort()).toEqual([
      ['metadata', 'dropped'],
      ['user', 'dropped'],
    ]);
  });

  it.each<[string, string, JsonObject, boolean]>([
    ['mistral-small-2603', 'none', { reasoning_effort: 'none' }, true],
    ['mistral-small-2603', 'low', { reasoning_effort: 'high' }, false],
    ['mistral-large-4-0', 'low', { reasoning_effort: 'low' }, true],
    ['mistral-large-4-0', 'max', { reasoning_effort: 'high' }, false],
    ['some-model', 'high', { reasoning_effort: 'high' }, true],
    ['some-model', 'none', {}, true],
    ['magistral-medium-latest', 'medium', { prompt_mode: 'reasoning' }, false],
  ])('reasons on %s with the effort %s', (model, effort, members, isExact) => {
    const { body, losses } = encoded(mistralProvider, { reasoning_effort: effort }, { model });
    expect(body).toEqual({ model, messages: [{ role: 'user', content: 'Hi' }], ...members });
    expect(losses.map(({ code }) => code)).toEqual(isExact ? [] : ['approximated']);
  });
});

const body = (message: JsonObject, more: JsonObject = {}): JsonObject => ({
  id: 'm1',
  object: 'chat.completion',
  created: 1,
  model: 'mistral-large-latest',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...more }],
  usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 },
});
const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  id: 'm1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'mistral-large-latest',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...(finish === null ? {} : { usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 } }),
});
const partsOf = (content: unknown): readonly Part[] =>
  decoded(mistralProvider, body({ content })).candidates[0]?.parts ?? [];

describe('mistral: responses and streams', () => {
  const reference = { type: 'reference', reference_ids: [1, 'b'] };
  const content = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'h' }], closed: false },
    { type: 'thinking', thinking: [{ type: 'text', text: 'm' }], signature: 's1' },
    { type: 'text', text: 'Sales rose' },
    reference,
    { type: 'text', text: ' again.' },
    { type: 'tool_file', tool: 'code', file_id: 'f1' },
  ];

  it('reads chunks in their order, equally in a stream', () => {
    const events = streamed(mistralProvider, [
      chunk({ role: 'assistant', content: content.slice(0, 2) }),
      ...content.slice(2).map((item) => chunk({ content: [item] })),
      chunk({ content: '' }, 'stop'),
    ]);
    expect(fold(events)).toEqual(decoded(mistralProvider, body({ content })));
    expect(partsOf(content)).toEqual([
      { kind: 'reasoning', text: 'hm', seal: { by: 'mistral', value: 's1' } },
      {
        kind: 'text',
        text: 'Sales rose again.',
        citations: [{ start: 0, end: 10, raw: { dialect: 'mistral', data: reference } }],
      },
      { kind: 'opaque', dialect: 'mistral', data: content[5] },
    ]);
  });

  it('reads arguments that are an object, and generates ids for calls without one', () => {
    const calls = [1, 2].map((a) => ({ function: { name: 'f', arguments: { a } } }));
    const [candidate] = decoded(mistralProvider, body({ content: null, tool_calls: calls })).candidates;
    expect(candidate).toMatchObject({
      finish: { reason: 'tool_calls' },
      parts: [
        { kind: 'tool_call', name: 'f', args: '{"a":1}' },
        { kind: 'tool_call', name: 'f', args: '{"a":2}' },
      ],
    });
    const ids = candidate?.parts.map((part) => (part.kind === 'tool_call' ? part.id : ''));
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain('');
    const events = streamed(mistralProvider, [
      chunk({ tool_calls: [{ index: 0, id: 'ab3DE6gh9', function: { name: 'f', arguments: { a: 1 } } }] }),
      chunk({}, 'tool_calls'),
    ]);
    expect(fold(events).candidates[0]?.parts).toEqual([
      { kind: 'tool_call', id: 'ab3DE6gh9', name: 'f', args: '{"a":1}' },
    ]);
  });

  it.each<JsonObject>([
    { num_cached_tokens: 1 },
    { prompt_tokens_details: { cached_tokens: 1 } },
    { prompt_token_details: { cached_tokens: 1 } },
  ])('reads cached tokens from %j, and keeps the usage of the last chunk', (cached) => {
    const usage = { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5, ...cached };
    expect(decoded(mistralProvider, { ...body({ content: 'x' }), usage }).usage).toMatchObject({
      input: 2,
      cacheRead: 1,
    });
    const events = streamed(mistralProvider, [chunk({ content: 'x' }), { ...chunk({}, 'stop'), usage }]);
    expect(fold(events).usage).toMatchObject({ input: 2, output: 3, cacheRead: 1 });
  });

  it('reads the service tier of the usage', () => {
    const usage = { prompt_tokens: 2, completion_tokens: 3, service_tier: 'standard' };
    expect(decoded(mistralProvider, { ...body({ content: 'x' }), usage }).serviceTier).toBe('standard');
  });

  it('reads model_length as length, and an error with content as an error', () => {
    const finish = (reason: string): unknown =>
      decoded(mistralProvider, body({ content: 'x' }, { finish_reason: reason })).candidates[0]?.finish;
    expect(finish('model_length')).toEqual({ reason: 'length', raw: 'model_length' });
    expect(finish('error')).toEqual({ reason: 'error', raw: 'error' });
  });

  it('refuses an error without content', () => {
    const failed = body({ content: '' }, { finish_reason: 'error' });
    expect(refusal(() => decoded(mistralProvider, failed))[0]).toBe('provider_answer_invalid');
    expect(streamed(mistralProvider, [chunk({ content: '' }, 'error')]).at(-1)).toMatchObject({
      t: 'error',
      fault: { code: 'provider_answer_invalid' },
    });
  });

  it('reports an error event of Mistral', () => {
    const events = streamed(mistralProvider, [
      chunk({ content: 'x' }),
      { object: 'error', message: 'Too many', type: 'rate_limit_error', code: '1300' },
    ]);
    expect(events.at(-1)).toMatchObject({ t: 'error', fault: { class: 'rate', message: 'Too many' } });
  });

  it('treats a stream without a finish reason as truncated', () => {
    expect(streamed(mistralProvider, [chunk({ content: 'x' })]).at(-1)).toMatchObject({
      t: 'error',
      fault: { code: 'stream_interrupted' },
    });
  });
});
