import { GatewayError } from '@gw/kernel';
import type { JsonObject, ModelCall } from '../call';
import type { LossMode } from '@gw/kernel';
import { LossLedger } from '../losses';
import { openAiChatClient } from '../openai-chat';
import { targetOf } from '../target';
import { geminiProvider } from './index';

interface Sent {
  readonly body: JsonObject;
  readonly path: string;
  readonly losses: readonly string[];
}

function sent(
  request: JsonObject | ModelCall,
  model = 'gemini-2.5-flash',
  loss: LossMode = 'strict',
  provider = 'google',
): Sent {
  const target = targetOf({ provider, dialect: 'gemini', model });
  const losses = new LossLedger(loss, target);
  const call =
    'paths' in request ? (request as ModelCall) : openAiChatClient.decodeCall({ model: 'm', ...request });
  const { body, path } = geminiProvider.encodeCall(call, target, losses);
  losses.check();
  return {
    body: JSON.parse(JSON.stringify(body)) as JsonObject,
    path,
    losses: losses.losses.map((found) => `${found.path}=${found.code}`),
  };
}

function refusal(
  request: JsonObject,
  model?: string,
  loss?: LossMode,
): { type: string; param: string | undefined } {
  try {
    sent(request, model, loss);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { type: thrown.type, param: thrown.options.param };
    throw thrown;
  }
  throw new Error('The request was not refused.');
}

const user = (content: unknown): JsonObject => ({ role: 'user', content });
const called = (...calls: readonly (readonly [id: string, name: string])[]): JsonObject => ({
  role: 'assistant',
  content: null,
  tool_calls: calls.map(([id, name]) => ({ id, type: 'function', function: { name, arguments: '{}' } })),
});
const result = (id: string, content = 'ok'): JsonObject => ({ role: 'tool', tool_call_id: id, content });
const tool = (parameters?: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'function',
  function: { name: 'f', ...(parameters === undefined ? {} : { parameters }), ...more },
});
const schemaOf = (request: JsonObject, model: string): unknown => {
  const [element] = sent(request, model).body['tools'] as { functionDeclarations: JsonObject[] }[];
  return element?.functionDeclarations[0]?.['parameters'];
};

describe('gemini requests: turns', () => {
  it('merges consecutive turns of one role and puts results first, in the order of their calls', () => {
    const { body } = sent({
      messages: [
        user('a'),
        user('b'),
        called(['c1', 'f'], ['c2', 'g']),
        result('c2', '2'),
        result('c1', '1'),
        user('and?'),
      ],
    });
    expect(body['contents']).toEqual([
      { role: 'user', parts: [{ text: 'a' }, { text: 'b' }] },
      {
        role: 'model',
        parts: [{ functionCall: { name: 'f', args: {} } }, { functionCall: { name: 'g', args: {} } }],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'f', response: { output: '1' } } },
          { functionResponse: { name: 'g', response: { output: '2' } } },
          { text: 'and?' },
        ],
      },
    ]);
  });

  it('moves a later system message to the system instruction and records the loss', () => {
    const { body, losses } = sent({ messages: [user('a'), { role: 'system', content: 'S' }, user('b')] });
    expect(body['systemInstruction']).toEqual({ parts: [{ text: 'S' }] });
    expect(body['contents']).toEqual([{ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }]);
    expect(losses).toEqual(['messages.1=moved']);
  });

  it('leaves out empty text and turns that are empty then', () => {
    const { body } = sent({ messages: [user('a'), { role: 'assistant', content: '' }, user('b')] });
    expect(body['contents']).toEqual([{ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }]);
    expect(refusal({ messages: [user('')] })).toEqual({ type: 'validation_failed', param: 'messages' });
  });

  it('refuses a history in which a call has no result', () => {
    expect(
      refusal({ messages: [user('a'), called(['c1', 'f'], ['c2', 'f']), result('c1'), user('b')] }),
    ).toEqual({
      type: 'validation_failed',
      param: 'messages.1.tool_calls.1',
    });
  });

  it('reports content that cannot be sent instead of the turn that is then empty', () => {
    expect(refusal({ messages: [user([{ type: 'file', file: { file_id: 'file-1' } }])] })).toEqual({
      type: 'unsupported_by_provider',
      param: 'messages.0.content.0',
    });
  });

  it('refuses a prefill, which Gemini does not support', () => {
    expect(refusal({ messages: [user('a'), { role: 'assistant', content: 'b' }] })).toEqual({
      type: 'unsupported_by_provider',
      param: 'messages.1',
    });
  });

  it('refuses a function name of the history that Gemini does not accept', () => {
    expect(refusal({ messages: [user('a'), called(['c1', 'get weather']), result('c1')] }).param).toBe(
      'messages.1.tool_calls.0',
    );
  });

  it('sends a result that is nested beyond a sensible depth as text', () => {
    const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const { body } = sent({ messages: [user('a'), called(['c1', 'f']), result('c1', deep)] });
    const parts = (body['contents'] as { parts: JsonObject[] }[])[2]?.parts;
    expect(parts).toEqual([{ functionResponse: { name: 'f', response: { output: deep } } }]);
  });

  it('keeps media of a result inside of it for Gemini 3, and next to it before', () => {
    const call: ModelCall = {
      model: 'm',
      stream: false,
      system: [],
      turns: [
        { role: 'user', parts: [{ kind: 'text', text: 'a' }] },
        { role: 'assistant', parts: [{ kind: 'tool_call', id: 'c1', name: 'f', args: '' }] },
        {
          role: 'user',
          parts: [
            {
              kind: 'tool_result',
              callId: 'c1',
              at: 'messages.2.content.0',
              parts: [
                { kind: 'text', text: 'see' },
                {
                  kind: 'media',
                  media: 'image',
                  mime: 'image/png',
                  source: { at: 'base64', data: 'AA-_\nAA==' },
                },
              ],
            },
          ],
        },
      ],
      paths: {},
    };
    const image = { inlineData: { mimeType: 'image/png', data: 'AA+/AA==' } };
    const newer = sent(call, 'gemini-3-pro-preview').body['contents'] as { parts: JsonObject[] }[];
    expect(newer[2]?.parts).toEqual([
      { functionResponse: { id: 'c1', name: 'f', response: { output: 'see' }, parts: [image] } },
    ]);
    const older = sent(call);
    expect((older.body['contents'] as { parts: JsonObject[] }[])[2]?.parts).toEqual([
      { functionResponse: { name: 'f', response: { output: 'see' } } },
      { text: '[tool result c1]' },
      image,
    ]);
    expect(older.losses).toEqual(['messages.2.content.0=moved']);
  });
});

describe('gemini requests: seals and ids', () => {
  const history = (first: JsonObject): JsonObject => ({ messages: [user('w'), first, result('call_abc')] });

  it('sends the signature of a call back on the same functionCall', () => {
    const [call] = called(['call_abc', 'f'])['tool_calls'] as JsonObject[];
    const extra = { extra_content: { google: { thought_signature: 'c2ln' } } };
    const { body, losses } = sent(
      history({ role: 'assistant', tool_calls: [{ ...call, ...extra }] }),
      'gemini-3-pro-preview',
    );
    expect((body['contents'] as { parts: JsonObject[] }[])[1]?.parts).toEqual([
      { functionCall: { id: 'call_abc', name: 'f', args: {} }, thoughtSignature: 'c2ln' },
    ]);
    expect(losses).toEqual([]);
  });

  it('replaces a lost signature of the current exchange only', () => {
    const messages = [
      user('w'),
      called(['c1', 'f']),
      result('c1'),
      { role: 'assistant', content: 'done' },
      user('more'),
      called(['c2', 'f'], ['c3', 'f']),
      result('c2'),
      result('c3'),
    ];
    const { body, losses } = sent({ messages }, 'gemini-3-flash-preview');
    const signatures = (body['contents'] as { parts: JsonObject[] }[]).map(({ parts }) =>
      parts.map((part) => part['thoughtSignature']),
    );
    expect(signatures).toEqual([
      [undefined],
      [undefined],
      [undefined],
      [undefined],
      [undefined],
      ['skip_thought_signature_validator', undefined],
      [undefined, undefined],
    ]);
    expect(losses).toEqual(['messages.5.tool_calls.0=generated']);
    expect(JSON.stringify(sent({ messages }).body)).not.toContain('skip_thought');
  });

  it('leaves out reasoning that Google did not sign, and the turn that is empty then', () => {
    const foreign = {
      role: 'assistant',
      content: null,
      thinking_blocks: [{ type: 'thinking', thinking: 'x', signature: 'abc' }],
    };
    const { body } = sent({
      messages: [user('a'), foreign, { role: 'assistant', content: '', reasoning_content: 'y' }, user('b')],
    });
    expect(body['contents']).toEqual([{ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }]);
  });

  it('sends ids only to models that use them, and never generated ones', () => {
    const made = 'call_0123456789abcdefghijABCD';
    const messages = [user('w'), called(['c1', 'f'], [made, 'f']), result('c1'), result(made)];
    const ids = (model: string): string[] =>
      JSON.stringify(sent({ messages }, model).body).match(/"id":"[^"]*"/g) ?? [];
    expect(ids('gemini-3-flash-preview')).toEqual(['"id":"c1"', '"id":"c1"']);
    expect(ids('gemini-2.5-pro')).toEqual([]);
  });

  it('moves a carried signature without text to the following part, or to the end', () => {
    const seal = { by: 'google', value: 'c2ln' } as const;
    const call: ModelCall = {
      model: 'm',
      stream: false,
      system: [],
      turns: [
        { role: 'user', parts: [{ kind: 'text', text: 'a' }] },
        {
          role: 'assistant',
          parts: [
            { kind: 'reasoning', text: '', seal },
            { kind: 'text', text: 'b' },
            { kind: 'reasoning', text: '', seal: { ...seal, value: 'ZW5k' } },
          ],
        },
        { role: 'user', parts: [{ kind: 'text', text: 'c' }] },
      ],
      paths: {},
    };
    expect((sent(call).body['contents'] as JsonObject[])[1]).toEqual({
      role: 'model',
      parts: [
        { text: 'b', thoughtSignature: 'c2ln' },
        { text: '', thoughtSignature: 'ZW5k' },
      ],
    });
  });
});

describe('gemini requests: tools and schemas', () => {
  it('sends no parameters for a function without properties to older models', () => {
    expect(
      schemaOf(
        { messages: [user('a')], tools: [tool({ type: 'object', properties: {} })] },
        'gemini-2.0-flash',
      ),
    ).toBeUndefined();
  });

  it('converts a schema for older models, and sends it unchanged to newer ones', () => {
    const parameters = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        place: { $ref: '#/$defs/place' },
        unit: { type: ['string', 'null'], enum: ['c', 'f', null], default: 'c' },
        days: { type: 'integer', const: 3 },
        any: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
        mixed: { type: ['string', 'number'] },
        list: { type: 'array' },
        one: { allOf: [{ $ref: '#/$defs/place' }], description: 'd' },
      },
      required: ['place', 'gone'],
      additionalProperties: false,
      $defs: {
        place: {
          type: 'object',
          properties: { city: { type: 'string', format: 'uri' } },
          additionalProperties: false,
        },
      },
    };
    const request = { messages: [user('a')], tools: [tool(parameters)] };
    const place = { type: 'OBJECT', properties: { city: { type: 'STRING' } }, propertyOrdering: ['city'] };
    expect(schemaOf(request, 'gemini-2.0-flash')).toEqual({
      type: 'OBJECT',
      properties: {
        place,
        unit: { type: 'STRING', enum: ['c', 'f'], nullable: true },
        days: { type: 'INTEGER' },
        any: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }], nullable: true },
        mixed: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] },
        list: { type: 'ARRAY', items: { type: 'STRING' } },
        one: { ...place, description: 'd' },
      },
      required: ['place'],
      propertyOrdering: ['place', 'unit', 'days', 'any', 'mixed', 'list', 'one'],
    });
    expect(sent(request, 'gemini-2.0-flash').losses).toEqual(['tools.0.function.parameters=relaxed']);
    const [element] = sent(request).body['tools'] as { functionDeclarations: JsonObject[] }[];
    expect(element?.functionDeclarations[0]?.['parametersJsonSchema']).toEqual(parameters);
    expect(sent(request).losses).toEqual([]);
  });

  it.each([
    ['a recursive schema', { type: 'object', properties: { a: { $ref: '#' } } }],
    ['a reference to nothing', { type: 'object', properties: { a: { $ref: '#/$defs/x' } } }],
    [
      'a reference to another document',
      { type: 'object', properties: { a: { $ref: 'https://x.example/s' } } },
    ],
  ])('refuses %s for older models', (_name, parameters) => {
    expect(refusal({ messages: [user('a')], tools: [tool(parameters)] }, 'gemini-2.0-flash')).toEqual({
      type: 'validation_failed',
      param: 'tools.0.function.parameters',
    });
  });

  it('records where an output schema was relaxed', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
    const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } };
    expect(sent({ messages: [user('a')], response_format }, 'gemini-2.0-flash').losses).toEqual([
      'response_format.json_schema.schema=relaxed',
    ]);
  });

  it('refuses a schema that grows without bound when its references are resolved', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, level) => [
        `d${String(level)}`,
        {
          type: 'object',
          properties: {
            a: { $ref: `#/$defs/d${String(level + 1)}` },
            b: { $ref: `#/$defs/d${String(level + 1)}` },
          },
        },
      ]),
    );
    const parameters = { $ref: '#/$defs/d0', $defs: { ...$defs, d30: { type: 'string' } } };
    expect(refusal({ messages: [user('a')], tools: [tool(parameters)] }, 'gemini-2.0-flash').type).toBe(
      'validation_failed',
    );
  });

  it('validates strict functions, and keeps a forced choice', () => {
    const tools = [tool({ type: 'object', properties: { a: { type: 'string' } } }, { strict: true })];
    const mode = (more: JsonObject, model?: string): unknown =>
      (sent({ messages: [user('a')], tools, ...more }, model).body['toolConfig'] as JsonObject | undefined)?.[
        'functionCallingConfig'
      ];
    expect(mode({})).toEqual({ mode: 'VALIDATED' });
    expect(mode({ tool_choice: 'auto' })).toEqual({ mode: 'VALIDATED' });
    expect(mode({ tool_choice: 'required' })).toEqual({ mode: 'ANY' });
    expect(mode({ tool_choice: 'auto' }, 'gemini-2.0-flash')).toEqual({ mode: 'AUTO' });
  });

  it('refuses tools that Google does not run', () => {
    expect(refusal({ messages: [user('a')], tools: [{ type: 'custom', custom: { name: 'c' } }] }).param).toBe(
      'tools.0',
    );
    expect(refusal({ messages: [user('a')], tools: [{ type: 'computer' }] }).param).toBe('tools.0');
  });

  it('refuses functions next to a search for models before Gemini 3', () => {
    const request = { messages: [user('a')], tools: [tool()], web_search_options: {} };
    expect(refusal(request).param).toBe('web_search_options');
    expect(sent(request, 'gemini-3-pro-preview').body['tools']).toEqual([
      { functionDeclarations: [{ name: 'f' }] },
      { googleSearch: {} },
    ]);
  });

  it('limits the functions of an allowed choice', () => {
    const allowed = (mode: string): JsonObject => ({
      messages: [user('a')],
      tools: [tool(), { type: 'function', function: { name: 'g' } }],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode, tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    });
    const config = (mode: string, model?: string): unknown => sent(allowed(mode), model).body['toolConfig'];
    expect(config('required')).toEqual({
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] },
    });
    expect(config('auto')).toEqual({
      functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
    });
    expect(sent(allowed('auto'), 'gemini-2.0-flash').body['tools']).toEqual([
      { functionDeclarations: [{ name: 'f' }] },
    ]);
  });
});

describe('gemini requests: parameters', () => {
  const config = (more: JsonObject, model?: string, loss?: LossMode): unknown =>
    sent({ messages: [user('a')], ...more }, model, loss).body['generationConfig'];

  it('sends falsy values', () => {
    expect(config({ temperature: 0, top_p: 0, max_tokens: 0, seed: 0 })).toEqual({
      temperature: 0,
      topP: 0,
      maxOutputTokens: 0,
      seed: 0,
    });
  });

  it.each([
    [{ stop: ['1', '2', '3', '4', '5', '6'] }, 'stop', { stopSequences: ['1', '2', '3', '4', '5'] }],
    [{ n: 9 }, 'n', { candidateCount: 8 }],
    [{ temperature: 2.5 }, 'temperature', { temperature: 2 }],
    [{ max_tokens: 1e6 }, 'max_tokens', { maxOutputTokens: 65_536 }],
    [{ logit_bias: { 1: 2 } }, 'logit_bias', undefined],
    [{ verbosity: 'low' }, 'verbosity', undefined],
    [{ min_p: 0.1 }, 'min_p', undefined],
  ])('refuses %j, or sends the nearest value in adapt', (more, param, adapted) => {
    expect(refusal({ messages: [user('a')], ...more })).toEqual({ type: 'unsupported_by_provider', param });
    expect(config(more, undefined, 'adapt')).toEqual(adapted);
  });

  it('accepts default values without a loss', () => {
    const neutral = {
      n: 1,
      presence_penalty: 0,
      logprobs: false,
      logit_bias: {},
      store: false,
      response_format: { type: 'text' },
      parallel_tool_calls: true,
      tool_choice: 'auto',
      service_tier: 'auto',
      verbosity: 'medium',
    };
    expect(sent({ messages: [user('a')], ...neutral }).losses).toEqual([]);
  });

  it.each([
    ['none', 'gemini-2.5-pro', { thinkingBudget: 128 }],
    ['xhigh', 'gemini-2.5-pro', { thinkingBudget: 32_768, includeThoughts: true }],
    ['max', 'gemini-2.5-flash', { thinkingBudget: 24_576, includeThoughts: true }],
    ['low', 'gemini-2.5-flash', { thinkingBudget: 1_024, includeThoughts: true }],
  ])('encodes the effort %s of %s as a budget', (effort, model, expected) => {
    expect(config({ reasoning_effort: effort }, model)).toMatchObject({ thinkingConfig: expected });
  });

  it.each([
    ['none', 'gemini-3-pro-preview', 'LOW', true],
    ['minimal', 'gemini-3-pro-preview', 'LOW', true],
    ['minimal', 'gemini-3-flash-preview', 'MINIMAL', false],
    ['medium', 'gemini-3-pro-preview', 'HIGH', true],
    ['medium', 'gemini-3.1-pro-preview', 'MEDIUM', false],
    ['max', 'gemini-3-flash-preview', 'HIGH', true],
  ])('encodes the effort %s of %s as the level %s', (effort, model, thinkingLevel, isTold) => {
    const { body, losses } = sent({ messages: [user('a')], reasoning_effort: effort }, model);
    expect(body).toMatchObject({ generationConfig: { thinkingConfig: { thinkingLevel } } });
    expect(losses).toEqual(isTold ? ['reasoning_effort=approximated'] : []);
  });

  it('refuses effort for a model that does not reason', () => {
    expect(refusal({ messages: [user('a')], reasoning_effort: 'low' }, 'gemini-2.0-flash').param).toBe(
      'reasoning_effort',
    );
    expect(config({ reasoning_effort: 'none' }, 'gemini-2.0-flash')).toBeUndefined();
  });

  it('writes labels only on Vertex', () => {
    const request = { messages: [user('a')], metadata: { team: 'x' } };
    expect(sent(request).losses).toEqual(['metadata=dropped']);
    expect(sent(request, 'gemini-2.5-flash', 'strict', 'vertex-ai').body['labels']).toEqual({ team: 'x' });
  });

  it('maps service tiers', () => {
    expect(sent({ messages: [user('a')], service_tier: 'flex' }).body['serviceTier']).toBe('flex');
    expect(sent({ messages: [user('a')], service_tier: 'default' }).body['serviceTier']).toBe('standard');
    expect(sent({ messages: [user('a')], service_tier: 'scale' }).losses).toEqual(['service_tier=dropped']);
  });

  it.each([
    ['google', 'gemini-2.5-flash', '/models/gemini-2.5-flash:generateContent'],
    ['google', 'tunedModels/a b', '/tunedModels/a%20b:generateContent'],
    ['google', '../../x', '/models/..%2F..%2Fx:generateContent'],
    ['vertex-ai', 'google/gemini-2.5-flash', '/publishers/google/models/gemini-2.5-flash:generateContent'],
    ['vertex-ai', 'endpoints.123', '/endpoints/123:generateContent'],
    ['vertex-ai', 'projects/p/locations/l/endpoints/123', '/endpoints/123:generateContent'],
    [
      'vertex-ai',
      'projects/p/locations/l/publishers/google/models/m',
      '/publishers/google/models/m:generateContent',
    ],
  ])('encodes the path at %s for the model %s', (provider, model, path) => {
    expect(sent({ messages: [user('a')] }, model, 'strict', provider).path).toBe(path);
  });
});
