import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../../provider';
import { DroppedParams } from '../../losses';
import { DEFAULT_MAX_TOKENS, toMessagesRequest } from './request';

const hello = [{ role: 'user', content: 'Hello' }];
const translate = (body: JsonObject) => toMessagesRequest({ model: 'claude', messages: hello, ...body });
const turns = (...messages: JsonObject[]) => translate({ messages })['messages'];
const text = (value: string) => ({ type: 'text', text: value });

function refusal(body: JsonObject): { status: number; param: string | undefined } {
  try {
    translate(body);
  } catch (error) {
    if (error instanceof GatewayError) return { status: error.status, param: error.options.param };
    throw error;
  }
  throw new Error('It was accepted.');
}

describe('toMessagesRequest', () => {
  it('refuses call arguments with more values than are parsed in one turn', () => {
    const call = {
      id: 'c',
      type: 'function',
      function: { name: 'f', arguments: `{"a":[${Array(1_000).fill('1').join(',')}]}` },
    };
    const calls = (count: number): JsonObject[] => [
      ...hello,
      { role: 'assistant', content: '', tool_calls: Array.from({ length: count }, () => call) },
    ];
    expect(translate({ messages: calls(49) })).toMatchObject({ model: 'claude' });
    expect(() => translate({ messages: calls(50) })).toThrow(
      'At most 50000 values in the arguments of calls',
    );
  });

  it('keeps model and messages, and adds the output limit that Anthropic requires', () => {
    expect(translate({})).toEqual({
      model: 'claude',
      messages: [{ role: 'user', content: [text('Hello')] }],
      max_tokens: DEFAULT_MAX_TOKENS,
    });
  });

  it('gathers system and developer messages, wherever they are', () => {
    const request = translate({
      messages: [
        { role: 'system', content: 'One' },
        ...hello,
        { role: 'developer', content: [{ type: 'text', text: 'Two', cache_control: { type: 'ephemeral' } }] },
      ],
    });
    expect(request['system']).toEqual([
      text('One'),
      { ...text('Two'), cache_control: { type: 'ephemeral' } },
    ]);
    expect(request['messages']).toEqual([{ role: 'user', content: [text('Hello')] }]);
  });

  it('translates images and documents as data and as URLs', () => {
    const parts = [
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      {
        type: 'image_url',
        image_url: { url: 'https://example.com/a.png', detail: 'auto' },
        cache_control: { type: 'ephemeral' },
      },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
      { type: 'file', file: { file_data: 'data:text/plain;charset=utf-8;base64,aGnDqQ==' } },
      { type: 'file', file: { file_id: 'file_1' } },
      { type: 'search_result', source: 's' },
    ];
    expect(turns({ role: 'user', content: parts })).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          {
            type: 'image',
            source: { type: 'url', url: 'https://example.com/a.png' },
            cache_control: { type: 'ephemeral' },
          },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' },
            title: 'a.pdf',
          },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hié' } },
          { type: 'document', source: { type: 'file', file_id: 'file_1' } },
          { type: 'search_result', source: 's' },
        ],
      },
    ]);
  });

  it('puts the results of parallel tool calls and the next user message into one turn', () => {
    const call = (id: string, args?: string) => ({
      id,
      type: 'function',
      function: { name: 'f', arguments: args },
    });
    expect(
      turns(
        hello[0] as JsonObject,
        {
          role: 'assistant',
          content: '',
          refusal: null,
          annotations: [],
          tool_calls: [call('a', '{"x":1}'), call('b', '')],
        },
        { role: 'tool', tool_call_id: 'a', content: 'one' },
        { role: 'tool', tool_call_id: 'b', name: 'f', content: [text('two')] },
        { role: 'user', content: 'Go on' },
      ),
    ).toEqual([
      { role: 'user', content: [text('Hello')] },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
          { type: 'tool_use', id: 'b', name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'one' },
          { type: 'tool_result', tool_use_id: 'b', content: [text('two')] },
          text('Go on'),
        ],
      },
    ]);
  });

  it('sends thinking back before what followed it', () => {
    const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
    expect(
      turns(...hello, {
        role: 'assistant',
        content: 'Yes',
        reasoning_content: 'hm',
        thinking_blocks: [thinking],
      }),
    ).toEqual([
      { role: 'user', content: [text('Hello')] },
      { role: 'assistant', content: [thinking, text('Yes')] },
    ]);
  });

  it('translates tools and passes those of Anthropic through', () => {
    const search = { type: 'web_search_20250305', name: 'web_search' };
    const parameters = { type: 'object', properties: { x: { type: 'number' } } };
    const tools = [
      {
        type: 'function',
        function: { name: 'f', description: 'd', parameters, strict: true },
        cache_control: { type: 'ephemeral' },
      },
      { type: 'function', function: { name: 'g' } },
      search,
    ];
    expect(translate({ tools })['tools']).toEqual([
      {
        name: 'f',
        description: 'd',
        input_schema: parameters,
        strict: true,
        cache_control: { type: 'ephemeral' },
      },
      { name: 'g', input_schema: { type: 'object', properties: {} } },
      search,
    ]);
  });

  it.each([
    ['auto', true, { type: 'auto' }],
    ['none', false, { type: 'none' }],
    ['required', true, { type: 'any' }],
    ['required', false, { type: 'any', disable_parallel_tool_use: true }],
    [{ type: 'function', function: { name: 'f' } }, true, { type: 'tool', name: 'f' }],
    [{ type: 'any' }, true, { type: 'any' }],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    [undefined, true, undefined],
  ])('takes tool_choice %p with parallel_tool_calls %p', (choice, parallel, expected) => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const request = translate({ tools, tool_choice: choice, parallel_tool_calls: parallel });
    expect(request['tool_choice']).toEqual(expected);
  });

  it.each([
    [{ max_tokens: 5 }, { max_tokens: 5 }],
    [{ max_completion_tokens: 6 }, { max_tokens: 6 }],
    [{ max_tokens: 7, max_completion_tokens: 7 }, { max_tokens: 7 }],
    [{ stop: 'a' }, { stop_sequences: ['a'] }],
    [{ stop: ['a', 'b'] }, { stop_sequences: ['a', 'b'] }],
    [{ temperature: 1 }, { temperature: 1 }],
    [{ temperature: null, stop: null, tools: null, user: null, n: null, seed: null }, {}],
    [
      { top_p: 0.5, top_k: 3, stream: true, brand_new: { x: 1 } },
      { top_p: 0.5, top_k: 3, stream: true, brand_new: { x: 1 } },
    ],
    [{ stream: true, stream_options: { include_usage: true } }, { stream: true }],
    [{ user: 'u' }, { metadata: { user_id: 'u' } }],
    [{ safety_identifier: 's' }, { metadata: { user_id: 's' } }],
    [{ metadata: { user_id: 'b' }, user: 'u' }, { metadata: { user_id: 'u' } }],
    [{ n: 1, logprobs: false, frequency_penalty: 0, logit_bias: {}, store: false, modalities: ['text'] }, {}],
    [{ response_format: { type: 'text' } }, {}],
    [
      {
        response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
        reasoning_effort: 'low',
      },
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } }, effort: 'low' } },
    ],
    [{ reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }],
    [
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
    ],
    [{ service_tier: 'default' }, { service_tier: 'standard_only' }],
  ])('takes %p as %p', (given, expected) => {
    const { model, messages, max_tokens: limit, ...rest } = translate(given);
    expect({ model, messages }).toEqual({
      model: 'claude',
      messages: [{ role: 'user', content: [text('Hello')] }],
    });
    expect({ max_tokens: limit, ...rest }).toEqual({ max_tokens: DEFAULT_MAX_TOKENS, ...expected });
  });

  it.each([
    ['temperature', { temperature: 1.5 }],
    ['temperature', { temperature: '1' }],
    ['n', { n: 2 }],
    ['seed', { seed: 1 }],
    ['logprobs', { logprobs: true }],
    ['presence_penalty', { presence_penalty: 0.5 }],
    ['logit_bias', { logit_bias: { 1: 5 } }],
    ['functions', { functions: [] }],
    ['store', { store: true }],
    ['verbosity', { verbosity: 'low' }],
    ['prompt_cache_key', { prompt_cache_key: 'k' }],
    ['prompt_cache_retention', { prompt_cache_retention: '24h' }],
    ['metadata.team', { metadata: { user_id: 'u', team: 'a' } }],
    ['tools.0', { tools: [{ type: 'custom', custom: { name: 'f' } }] }],
    ['tool_choice', { tool_choice: { type: 'custom', custom: { name: 'f' } } }],
    ['modalities', { modalities: ['audio'] }],
    ['max_tokens', { max_tokens: 1, max_completion_tokens: 2 }],
    ['response_format.type', { response_format: { type: 'json_object' } }],
    ['response_format.json_schema.schema', { response_format: { type: 'json_schema' } }],
    ['reasoning_effort', { reasoning_effort: 'minimal' }],
    ['service_tier', { service_tier: 'flex' }],
    ['tool_choice', { tool_choice: 'sometimes' }],
    ['tool_choice', { tool_choice: 'constructor' }],
    ['tools.0.function.name', { tools: [{ type: 'function' }] }],
    ['messages', { messages: [] }],
    ['messages', { messages: undefined }],
    ['messages.0', { messages: ['hi'] }],
    ['messages.0.role', { messages: [{ role: 'function', content: 'x' }] }],
    ['messages.0.name', { messages: [{ role: 'user', name: 'bob', content: 'x' }] }],
    ['messages.0.content', { messages: [{ role: 'user', content: '' }] }],
    ['messages.0.content', { messages: [{ role: 'user', content: 5 }] }],
    ['messages.0.content.0', { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }],
    [
      'messages.0.content.0.image_url.url',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/bmp;base64,AA' } }] },
        ],
      },
    ],
    [
      'messages.0.content.0.image_url.url',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'ftp://x' } }] }] },
    ],
    [
      'messages.0.content.0.image_url.detail',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x', detail: 'high' } }] },
        ],
      },
    ],
    [
      'messages.0.content.0.file',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: 'x' } }] }] },
    ],
    [
      'messages.0.tool_calls.0.function.arguments',
      {
        messages: [
          { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{"x":' } }] },
        ],
      },
    ],
    ['messages.0.tool_call_id', { messages: [{ role: 'tool', content: 'x' }] }],
  ])('refuses what it cannot express with a 400 that names %s', (param, body) => {
    expect(refusal(body)).toEqual({ status: 400, param });
  });

  const dropping = (body: JsonObject) => {
    const losses = new DroppedParams(true);
    const request = toMessagesRequest({ model: 'claude', messages: hello, ...body }, losses);
    const { model, messages, max_tokens: limit, ...rest } = request;
    expect([model, limit]).toEqual(['claude', DEFAULT_MAX_TOKENS]);
    return { rest, messages, dropped: losses.dropped() };
  };

  it.each<[string, JsonObject, JsonObject]>([
    ['seed', { seed: 1 }, {}],
    ['store', { store: true }, {}],
    ['logprobs', { logprobs: true }, {}],
    ['presence_penalty', { presence_penalty: 0.5 }, {}],
    ['frequency_penalty', { frequency_penalty: 0.5 }, {}],
    ['logit_bias', { logit_bias: { 1: 5 } }, {}],
    ['prediction', { prediction: { type: 'content', content: 'x' } }, {}],
    ['verbosity', { verbosity: 'low' }, {}],
    ['prompt_cache_key', { prompt_cache_key: 'k' }, {}],
    ['prompt_cache_retention', { prompt_cache_retention: '24h' }, {}],
    ['temperature', { temperature: 1.5 }, { temperature: 1 }],
    ['response_format.type', { response_format: { type: 'json_object' } }, {}],
    ['reasoning_effort', { reasoning_effort: 'minimal' }, {}],
    ['service_tier', { service_tier: 'flex' }, {}],
    ['metadata.team', { metadata: { team: 'a' }, user: 'u' }, { metadata: { user_id: 'u' } }],
    ['tools.0', { tools: [{ type: 'custom', custom: { name: 'f' } }], tool_choice: 'required' }, {}],
    [
      'tools.1',
      {
        tools: [
          { type: 'custom', name: 'f', input_schema: {} },
          { type: 'custom', custom: { name: 'g' } },
        ],
      },
      { tools: [{ type: 'custom', name: 'f', input_schema: {} }] },
    ],
  ])('leaves %s out where it may, and says so', (param, body, sent) => {
    const { rest, messages, dropped } = dropping(body);
    expect({ rest, messages, dropped }).toEqual({
      rest: sent,
      messages: [{ role: 'user', content: [text('Hello')] }],
      dropped: [param],
    });
  });

  it('drops participant names and image details when allowed, and names them all', () => {
    const url = 'https://example.com/a.png';
    const image = { type: 'image_url', image_url: { url, detail: 'high' } };
    const { messages, dropped } = dropping({ messages: [{ role: 'user', name: 'bob', content: [image] }] });
    expect(messages).toEqual([{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }]);
    expect(dropped).toEqual(['messages.0.name', 'messages.0.content.0.image_url.detail']);
  });

  it('names the first 50 dropped members, and the number of the others', () => {
    const metadata = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`k${String(at)}`, 'v']));
    const { dropped } = dropping({ metadata });
    expect([dropped?.length, dropped?.at(0), dropped?.at(-1)]).toEqual([51, 'metadata.k0', 'and 10 more']);
  });

  it('records no loss for members without effect', () => {
    expect(dropping({ n: 1, store: false, verbosity: 'medium', top_logprobs: 0 }).dropped).toBeNull();
  });

  it.each<[string, JsonObject]>([
    ['n', { n: 2 }],
    ['functions', { functions: [] }],
    ['function_call', { function_call: 'auto' }],
    ['audio', { audio: { voice: 'x' } }],
    ['modalities', { modalities: ['audio'] }],
    ['web_search_options', { web_search_options: {} }],
    ['temperature', { temperature: 3 }],
    ['max_tokens', { max_tokens: 1, max_completion_tokens: 2 }],
    ['response_format.type', { response_format: { type: 'grammar' } }],
    ['messages.0.content.0', { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }],
  ])(
    'refuses %s, without which the response would be a different one, even when dropping is allowed',
    (param, body) => {
      expect(() => dropping(body)).toThrow(
        expect.objectContaining({
          status: 400,
          options: expect.objectContaining({ param }) as object,
        }) as Error,
      );
    },
  );

  it('says how to drop a member that is refused', () => {
    expect(() => translate({ seed: 1 })).toThrow(
      'Anthropic has no equivalent of seed. Remove the parameter, or set drop_unsupported in the config.',
    );
  });

  it('leaves the caller’s body unchanged', () => {
    const body = {
      model: 'claude',
      messages: [...hello, { role: 'user', content: [text('x')] }],
      stop: ['a'],
      metadata: { user_id: 'me' },
      user: 'u',
    };
    const before = structuredClone(body);
    toMessagesRequest(body);
    expect(body).toEqual(before);
  });
});
