import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../call';
import { lost, sent, translated, type Translation } from '../spec-support/anthropic-translations';

type Refused = readonly [type: string, param: unknown];

function refusal(body: JsonObject, translation: Translation = {}): Refused {
  try {
    translated(body, translation);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return [thrown.type, thrown.options.param];
    throw thrown;
  }
  throw new Error('The call was not refused.');
}

const UNSUPPORTED = 'unsupported_by_provider';
const text = (value: string): JsonObject => ({ type: 'text', text: value });
const tool = (name = 'f', parameters: JsonObject = { type: 'object', properties: {} }): JsonObject => ({
  type: 'function',
  function: { name, parameters },
});
const turns = (...messages: JsonObject[]): JsonObject => ({ messages });
const user = (content: unknown): JsonObject => ({ role: 'user', content });

describe('encodeCall of Anthropic: max_tokens', () => {
  it.each([
    ['claude-opus-5', 128_000],
    ['claude-sonnet-4-5', 64_000],
    ['claude-3-haiku-20240307', 4_096],
    ['anthropic.claude-opus-4-1-20250805-v1:0', 32_000],
    ['some-other-model', 4_096],
  ])('sets max_tokens to the maximum of %s when it is absent', (model, expected) => {
    expect(sent({}, { model })['max_tokens']).toBe(expected);
    expect(lost({}, { model })).toEqual(['max_tokens=generated']);
  });

  it('is refused above the maximum of the model, or lowered in adapt', () => {
    const body = { max_completion_tokens: 70_000 };
    expect(refusal(body)).toEqual([UNSUPPORTED, 'max_completion_tokens']);
    expect(sent(body, { loss: 'adapt' })['max_tokens']).toBe(64_000);
    expect(lost(body, { loss: 'adapt' })).toEqual(['max_completion_tokens=approximated']);
  });
});

describe('encodeCall of Anthropic: sampling', () => {
  it.each<[string, JsonObject, string]>([
    ['claude-opus-5', { temperature: 0.5 }, 'temperature'],
    ['claude-opus-4-7', { top_p: 0.9 }, 'top_p'],
    ['claude-fable-5', { top_k: 4 }, 'top_k'],
    ['claude-sonnet-4-5', { temperature: 0.5, top_p: 0.9 }, 'top_p'],
    ['claude-sonnet-4', { temperature: 1.2 }, 'temperature'],
    ['claude-haiku-4-5', { reasoning_effort: 'low', temperature: 0.5, max_tokens: 9_000 }, 'temperature'],
    ['claude-haiku-4-5', { reasoning_effort: 'low', top_p: 0.5, max_tokens: 9_000 }, 'top_p'],
    ['claude-haiku-4-5', { reasoning_effort: 'low', top_k: 5, max_tokens: 9_000 }, 'top_k'],
  ])('refuses the sampling of %s with %j, and drops it in adapt', (model, body, param) => {
    expect(refusal(body, { model })).toEqual([UNSUPPORTED, param]);
    const adapted = sent(body, { model, loss: 'adapt' });
    if (param === 'temperature' && model === 'claude-sonnet-4') expect(adapted[param]).toBe(1);
    else expect(adapted).not.toHaveProperty(param);
    expect(lost(body, { model, loss: 'adapt' }).map((loss) => loss.split('=')[0])).toContain(param);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['claude-opus-5', { temperature: 1, top_p: 0.99 }, {}],
    [
      'claude-opus-4-6',
      { temperature: 0.5, top_p: 0.9, top_k: 3 },
      { temperature: 0.5, top_p: 0.9, top_k: 3 },
    ],
    ['claude-sonnet-4-5', { temperature: 0.5, top_p: 1 }, { temperature: 0.5 }],
    ['claude-sonnet-4-5', { temperature: 1, top_p: 0.5 }, { top_p: 0.5 }],
    ['claude-3-7-sonnet-latest', { temperature: 0.5, top_p: 0.5 }, { temperature: 0.5, top_p: 0.5 }],
  ])('accepts the sampling of %s with %j', (model, body, expected) => {
    const { temperature, top_p, top_k } = sent(body, { model });
    expect(JSON.parse(JSON.stringify({ temperature, top_p, top_k }))).toEqual(expected);
    expect(lost({ ...body, max_tokens: 9 }, { model })).toEqual([]);
  });
});

describe('encodeCall of Anthropic: thinking', () => {
  const thinking = (body: JsonObject, model: string): JsonObject => {
    const { thinking: found, output_config } = sent({ max_tokens: 10_000, ...body }, { model });
    return { thinking: found, output_config };
  };

  it.each([
    ['claude-opus-5', 'none', { type: 'disabled' }, undefined],
    ['claude-opus-5', 'xhigh', { type: 'adaptive', display: 'summarized' }, { effort: 'xhigh' }],
    ['claude-opus-4-6', 'xhigh', { type: 'adaptive', display: 'summarized' }, { effort: 'max' }],
    ['claude-opus-4-6', 'minimal', { type: 'adaptive', display: 'summarized' }, { effort: 'low' }],
    ['claude-sonnet-4-5', 'none', undefined, undefined],
    ['claude-sonnet-4-5', 'minimal', { type: 'enabled', budget_tokens: 1_024 }, undefined],
    ['claude-sonnet-4-5', 'low', { type: 'enabled', budget_tokens: 2_000 }, undefined],
    ['claude-3-7-sonnet', 'max', { type: 'enabled', budget_tokens: 9_500 }, undefined],
  ])('encodes the thinking of %s with the effort %s', (model, effort, expected, config) => {
    expect(thinking({ reasoning_effort: effort }, model)).toEqual({
      thinking: expected,
      output_config: config,
    });
  });

  it('stays below max_tokens, and is disabled when there is no room for it', () => {
    const body = (max: number): JsonObject => ({ reasoning_effort: 'max', max_tokens: max });
    expect(sent(body(1_030))['thinking']).toEqual({ type: 'enabled', budget_tokens: 1_024 });
    expect(sent(body(1_024))).not.toHaveProperty('thinking');
    expect(lost(body(1_024))).toEqual(['reasoning_effort=approximated']);
  });

  it('is refused for a model without thinking', () => {
    expect(refusal({ reasoning_effort: 'low' }, { model: 'claude-3-5-haiku' })).toEqual([
      UNSUPPORTED,
      'reasoning_effort',
    ]);
    expect(sent({ reasoning_effort: 'none' }, { model: 'claude-3-5-haiku' })).not.toHaveProperty('thinking');
  });

  it('becomes an effort on a model without budgets', () => {
    const body = { max_tokens: 10_000, thinking: { type: 'enabled', budget_tokens: 5_000 } };
    const facts = { client: 'anthropic-messages', model: 'claude-opus-5' };
    expect(sent(body, facts)).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'medium' },
    });
    expect(lost(body, facts)).toEqual(['thinking=approximated']);
  });

  it('becomes a budget on a model without adaptive thinking', () => {
    const body = { max_tokens: 10_000, thinking: { type: 'adaptive' } };
    expect(sent(body, { client: 'anthropic-messages' })['thinking']).toEqual({
      type: 'enabled',
      budget_tokens: 8_000,
    });
  });

  it.each([['required'], [{ type: 'function', function: { name: 'f' } }]])(
    'refuses a thinking budget with the tool choice %j',
    (choice) => {
      const body = { reasoning_effort: 'low', max_tokens: 9_000, tools: [tool()], tool_choice: choice };
      expect(refusal(body)).toEqual([UNSUPPORTED, 'tool_choice']);
      expect(refusal(body, { loss: 'adapt' })).toEqual([UNSUPPORTED, 'tool_choice']);
    },
  );

  it('with a budget is disabled if the history lacks the thinking before tool results', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
    const history = (assistant: JsonObject): JsonObject => ({
      ...turns(
        user('x'),
        { role: 'assistant', tool_calls: [call], ...assistant },
        { role: 'tool', tool_call_id: 'a', content: '1' },
      ),
      reasoning_effort: 'medium',
      max_tokens: 9_000,
    });
    expect(sent(history({}))).not.toHaveProperty('thinking');
    expect(lost(history({}))).toContain('reasoning_effort=approximated');
    const signed = { thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 's' }] };
    expect(sent(history(signed))).toHaveProperty('thinking');
    expect(sent(history({}), { model: 'claude-opus-5' })).toHaveProperty('thinking');
  });

  it('is not combined with a prefill', () => {
    const body = {
      ...turns(user('x'), { role: 'assistant', content: 'y' }),
      reasoning_effort: 'low',
      max_tokens: 9_000,
    };
    expect(refusal(body)).toEqual([UNSUPPORTED, 'reasoning_effort']);
    expect(sent(body, { loss: 'adapt' })).not.toHaveProperty('thinking');
  });
});

describe('encodeCall of Anthropic: members of other dialects', () => {
  it.each<[JsonObject, string]>([
    [{ n: 2 }, 'n'],
    [{ presence_penalty: 0.5 }, 'presence_penalty'],
    [{ logit_bias: { 1: 5 } }, 'logit_bias'],
    [{ logprobs: true }, 'logprobs'],
    [{ verbosity: 'low' }, 'verbosity'],
    [{ stop: ['a', ' \n'] }, 'stop'],
  ])('refuses the parameter %j, and drops it in adapt', (body, param) => {
    expect(refusal(body)).toEqual([UNSUPPORTED, param]);
    expect(lost({ ...body, max_tokens: 9 }, { loss: 'adapt' })).toEqual([`${param}=dropped`]);
  });

  it.each<[JsonObject, string]>([
    [{ seed: 1 }, 'seed'],
    [{ store: true }, 'store'],
    [{ prediction: { type: 'content', content: 'x' } }, 'prediction'],
    [{ prompt_cache_key: 'k' }, 'prompt_cache_key'],
    [{ metadata: { team: 'a' } }, 'metadata'],
    [{ service_tier: 'scale' }, 'service_tier'],
    [{ brand_new: 1 }, 'brand_new'],
    [turns({ role: 'user', name: 'bob', content: 'x' }), 'messages.0.name'],
  ])('drops the hint %j', (body, path) => {
    expect(lost({ ...body, max_tokens: 9 })).toEqual([`${path}=dropped`]);
  });

  it.each<[JsonObject, string]>([
    [{ response_format: { type: 'json_object' } }, 'response_format'],
    [{ modalities: ['text', 'audio'], audio: { voice: 'x', format: 'wav' } }, 'modalities'],
    [
      turns(user([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }])),
      'messages.0.content.0',
    ],
    [turns(user([{ type: 'brand_new' }])), 'messages.0.content.0'],
    [turns(user([{ type: 'file', file: { file_id: 'file_1' } }])), 'messages.0.content.0.file.file_data'],
    [{ tools: [{ type: 'code_interpreter' }] }, 'tools.0'],
  ])('refuses the content %j in every mode', (body, param) => {
    expect(refusal(body)).toEqual([UNSUPPORTED, param]);
    expect(refusal(body, { loss: 'adapt' })).toEqual([UNSUPPORTED, param]);
  });

  it('records no loss for default values', () => {
    const body = {
      n: 1,
      frequency_penalty: 0,
      logprobs: false,
      logit_bias: {},
      store: false,
      verbosity: 'medium',
    };
    const neutral = {
      ...body,
      modalities: ['text'],
      response_format: { type: 'text' },
      tool_choice: 'auto',
      max_tokens: 9,
    };
    expect(lost(neutral)).toEqual([]);
  });

  it('accepts members of this dialect from a chat client', () => {
    const given = {
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      container: 'c',
      mcp_servers: [],
      cache_control: { type: 'ephemeral' },
      tools: [{ type: 'bash_20250124', name: 'bash' }],
      metadata: { user_id: 'u' },
      max_tokens: 2_000,
      messages: [user([{ type: 'search_result', source: 's', title: 't', content: [text('r')] }])],
    };
    expect(sent(given)).toEqual({ model: 'claude-sonnet-4-5', ...given });
    expect(lost(given)).toEqual([]);
  });

  it('leaves the body of the client unchanged', () => {
    const body = {
      messages: [user('a'), user([{ type: 'text', text: 'b', cache_control: { type: 'ephemeral' } }])],
      tools: [tool('f', { type: 'object', properties: { a: { type: 'integer', minimum: 1 } } })],
      stop: ['a'],
      metadata: { user_id: 'u' },
    };
    const before = structuredClone(body);
    translated(body);
    expect(body).toEqual(before);
  });
});

describe('encodeCall of Anthropic: tools', () => {
  it('have a schema with a type', () => {
    const tools = [
      tool('f', {}),
      tool('g', { properties: { a: {} } }),
      { type: 'function', function: { name: 'h' } },
    ];
    expect(sent({ tools })['tools']).toEqual([
      { name: 'f', input_schema: { type: 'object', properties: {} } },
      { name: 'g', input_schema: { type: 'object', properties: { a: {} } } },
      { name: 'h', input_schema: { type: 'object', properties: {} } },
    ]);
  });

  const strict = (name: string, parameters?: JsonObject): JsonObject => ({
    type: 'function',
    function: { name, strict: true, ...(parameters === undefined ? {} : { parameters }) },
  });

  it('are strict with a closed schema if the model supports it', () => {
    const parameters = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } };
    expect(sent({ tools: [strict('f', parameters)] })['tools']).toEqual([
      {
        name: 'f',
        input_schema: {
          type: 'object',
          properties: { n: { type: 'integer', description: '{minimum: 1}' } },
          additionalProperties: false,
        },
        strict: true,
      },
    ]);
  });

  it('lose strict on older models, for open schemas, and after the first 20', () => {
    expect(sent({ tools: [strict('f')] }, { model: 'claude-sonnet-4' })['tools']).toEqual([
      { name: 'f', input_schema: { type: 'object', properties: {} } },
    ]);
    const open = strict('f', { type: 'object', additionalProperties: { type: 'string' } });
    expect(lost({ max_tokens: 9, tools: [open] })).toEqual(['tools.0.strict=dropped']);
    const many = Array.from({ length: 22 }, (_, index) => strict(`f${String(index)}`));
    const encoded = sent({ tools: many })['tools'] as JsonObject[];
    expect(encoded.filter(({ strict: isStrict }) => isStrict === true)).toHaveLength(20);
  });

  it('include a translated web search', () => {
    const options = {
      search_context_size: 'high',
      user_location: { type: 'approximate', approximate: { city: 'Oslo' } },
    };
    expect(sent({ web_search_options: options })['tools']).toEqual([
      {
        type: 'web_search_20250305',
        name: 'web_search',
        user_location: { type: 'approximate', city: 'Oslo' },
      },
    ]);
    expect(lost({ max_tokens: 9, web_search_options: options })).toEqual([
      'web_search_options.search_context_size=dropped',
    ]);
  });

  it('are refused with names that Anthropic does not accept', () => {
    expect(refusal({ tools: [tool('a.b')] })).toEqual([UNSUPPORTED, 'tools.0.name']);
  });

  it.each([
    ['required', false, { type: 'any', disable_parallel_tool_use: true }],
    ['auto', true, { type: 'auto', disable_parallel_tool_use: false }],
    ['none', false, { type: 'none' }],
    [undefined, true, undefined],
  ])('sends tools with the choice %j and parallel calls %j', (choice, parallel, expected) => {
    expect(
      sent({ tools: [tool()], tool_choice: choice, parallel_tool_calls: parallel })['tool_choice'],
    ).toEqual(expected);
  });

  it('are required when the choice requires a call', () => {
    expect(refusal({ tool_choice: 'required' })).toEqual([UNSUPPORTED, 'tool_choice']);
  });
});

describe('encodeCall of Anthropic: calls and results', () => {
  const call = (id: string, args = '{}'): JsonObject => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: args },
  });
  const result = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: '1' });
  const calls = (...ids: string[]): JsonObject => ({
    role: 'assistant',
    tool_calls: ids.map((id) => call(id)),
  });

  it.each<[string, JsonObject[], string]>([
    ['a call without a result', [user('x'), calls('a'), user('y')], 'messages.1.tool_calls.0'],
    [
      'one of two calls without a result',
      [user('x'), calls('a', 'b'), result('b')],
      'messages.1.tool_calls.0',
    ],
    ['a second result', [user('x'), calls('a'), result('a'), result('a')], 'messages.3.tool_call_id'],
    [
      'a result after another turn',
      [user('x'), calls('a'), result('a'), { role: 'assistant', content: 'y' }, result('a')],
      'messages.4.tool_call_id',
    ],
  ])('refuses messages with %s', (_title, messages, param) => {
    expect(refusal({ messages })).toEqual(['validation_failed', param]);
  });

  it('accepts a last turn that ends in calls, which is not a prefill', () => {
    expect(sent({ messages: [user('x'), calls('a')] }, { model: 'claude-opus-5' })['messages']).toHaveLength(
      2,
    );
  });

  it('maps ids that Anthropic refuses, equally in the call and the result', () => {
    const messages = [user('x'), calls('call:1'), result('call:1')];
    const [, assistant, response] = sent({ messages })['messages'] as JsonObject[];
    const [made] = assistant?.['content'] as JsonObject[];
    expect(made?.['id']).toMatch(/^call_[A-Za-z0-9]{32}$/);
    expect(response).toMatchObject({ content: [{ tool_use_id: made?.['id'] }] });
    expect(sent({ messages })).toEqual(sent({ messages }));
  });

  it('moves a system message between a call and its result to the system text', () => {
    const messages = [user('x'), calls('a'), { role: 'system', content: 'S' }, result('a')];
    expect(sent({ messages }, { model: 'claude-opus-5' })['system']).toEqual([text('S')]);
  });

  it('refuses arguments with more values than are parsed in one turn', () => {
    const message = { role: 'assistant', tool_calls: [call('a', `[${'1,'.repeat(60_000)}1]`)] };
    expect(refusal({ messages: [user('x'), message, result('a')] })).toEqual([
      'validation_failed',
      'messages.1.tool_calls.0.function.arguments',
    ]);
  });
});

describe('encodeCall of Anthropic: prefill', () => {
  const body = turns(user('x'), { role: 'assistant', content: 'y \n' });

  it('is sent without white space at its end', () => {
    expect(sent(body)['messages']).toMatchObject([{}, { content: [text('y')] }]);
    expect(lost({ ...body, max_tokens: 9 })).toEqual(['messages.1.content=approximated']);
  });

  it.each(['claude-opus-5', 'claude-opus-4-6', 'claude-sonnet-5'])('refuses a prefill for %s', (model) => {
    expect(refusal(body, { model })).toEqual([UNSUPPORTED, 'messages.1']);
  });
});

describe('encodeCall of Anthropic: output', () => {
  const format = (schema: JsonObject): JsonObject => ({
    response_format: { type: 'json_schema', json_schema: { name: 'w', schema } },
  });
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };

  it('is produced by a forced tool on models without output schemas, and read from its call', () => {
    const call = translated(format(schema), { model: 'claude-sonnet-4' });
    expect(call.body).toMatchObject({
      tools: [{ name: 'json_output', input_schema: schema }],
      tool_choice: { type: 'tool', name: 'json_output', disable_parallel_tool_use: true },
    });
    expect(call.losses.losses).toContainEqual({
      path: 'response_format',
      code: 'approximated',
      to: 'tool json_output',
    });
    const content = [{ type: 'tool_use', id: 't', name: 'json_output', input: { a: 'x' } }];
    expect(call.response({ id: 'm', content, stop_reason: 'tool_use', usage: {} })).toMatchObject({
      choices: [{ message: { content: '{"a":"x"}' }, finish_reason: 'stop' }],
    });
  });

  it('is refused on these models together with tools, and for schemas other than objects', () => {
    const facts = { model: 'claude-sonnet-4' };
    expect(refusal({ ...format(schema), tools: [tool()] }, facts)).toEqual([UNSUPPORTED, 'response_format']);
    expect(refusal(format({ anyOf: [schema] }), facts)).toEqual([UNSUPPORTED, 'response_format']);
  });

  it('is refused for schemas with maps or recursion', () => {
    const map = { type: 'object', additionalProperties: { type: 'string' } };
    expect(refusal(format(map))).toEqual([UNSUPPORTED, 'response_format']);
    const recursive = { type: 'object', properties: { a: { $ref: '#' } } };
    expect(refusal(format(recursive))).toEqual([UNSUPPORTED, 'response_format']);
  });
});

describe('encodeCall of Anthropic: media', () => {
  const part = (value: JsonObject): unknown =>
    (sent(turns(user([value])))['messages'] as JsonObject[])[0]?.['content'];
  const image = (url: string, detail?: string): JsonObject => ({
    type: 'image_url',
    image_url: { url, detail },
  });
  const file = (data: string): JsonObject => ({ type: 'file', file: { filename: 'a.txt', file_data: data } });

  it('is sent by URL, and its detail is recorded as a loss', () => {
    expect(part(image('https://a/b.png'))).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://a/b.png' } },
    ]);
    expect(lost({ ...turns(user([image('https://a/b.png', 'high')])), max_tokens: 9 })).toEqual([
      'messages.0.content.0.image_url.detail=dropped',
    ]);
  });

  it('is sent as text for text files', () => {
    expect(part(file('data:text/plain;charset=utf-8;base64,SMOk'))).toEqual([
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Hä' }, title: 'a.txt' },
    ]);
  });

  it.each([
    [image('ftp://a'), 'messages.0.content.0.image_url.url'],
    [image('gs://a/b'), 'messages.0.content.0.image_url.url'],
    [file('data:application/zip;base64,AAAA'), 'messages.0.content.0.file.file_data'],
  ])('refuses the content part %j', (value, param) => {
    expect(refusal(turns(user([value])))).toEqual([UNSUPPORTED, param]);
  });
});

describe('encodeCall of Anthropic: cache marks', () => {
  const marked = (value: string, ttl?: string): JsonObject => ({
    type: 'text',
    text: value,
    cache_control: ttl === undefined ? { type: 'ephemeral' } : { type: 'ephemeral', ttl },
  });
  const marksOf = (body: JsonObject): unknown[] =>
    JSON.stringify(sent(body)).match(/"text":"\w","cache_control"/g) ?? [];

  it('keep the first of the system text and the last three', () => {
    const system = { role: 'system', content: [marked('S'), marked('T')] };
    const body = turns(system, user([marked('a'), marked('b'), marked('c'), marked('d')]));
    expect(marksOf(body).map(String)).toEqual(
      ['S', 'b', 'c', 'd'].map((name) => `"text":"${name}","cache_control"`),
    );
    expect(lost({ ...body, max_tokens: 9 })).toEqual([
      'messages.0.content.1.cache_control=dropped',
      'messages.1.content.0.cache_control=dropped',
    ]);
  });

  it('are refused when a longer lifetime follows a shorter one', () => {
    expect(refusal(turns(user([marked('a'), marked('b', '1h')])))).toEqual([
      'validation_failed',
      'messages.0.content.1.cache_control',
    ]);
    expect(marksOf(turns(user([marked('a', '1h'), marked('b', '5m')])))).toHaveLength(2);
  });

  it('are derived from breakpoints of OpenAI', () => {
    const part = { type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } };
    expect(lost({ ...turns(user([part])), max_tokens: 9 })).toEqual([
      'messages.0.content.0.cache_control=approximated',
    ]);
    expect(sent(turns(user([part])))['messages']).toMatchObject([
      { content: [{ cache_control: { type: 'ephemeral' } }] },
    ]);
  });
});
