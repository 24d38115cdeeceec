import { compileConfig, validateConfig } from './config-language';
import { demandsOf } from './demands';
import { simulate } from './simulate';

const user = (content: unknown) => [{ role: 'user', content }];
const NOTHING = {
  ...{ tokens: 0, image: false, audio: false, document: false },
  ...{ tools: false, jsonSchema: false },
};
const DATA = 'A'.repeat(100_000);

describe('demandsOf', () => {
  it.each<[string, object, object]>([
    ['a text', { messages: user('x'.repeat(400)) }, { tokens: 101 }],
    [
      'an image of chat completions',
      { messages: user([{ type: 'image_url', image_url: { url: `data:image/png;base64,${DATA}` } }]) },
      { image: true, tokens: 1_004 },
    ],
    [
      'an image of responses',
      { input: user([{ type: 'input_image', image_url: `data:image/png;base64,${DATA}` }]) },
      { image: true, tokens: 1_004 },
    ],
    [
      'an image of messages',
      {
        messages: user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } }]),
      },
      { image: true, tokens: 1_006 },
    ],
    [
      'an image of Gemini',
      { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: DATA } }] }] },
      { image: true, tokens: 1_003 },
    ],
    [
      'an audio recording',
      { messages: user([{ type: 'input_audio', input_audio: { data: DATA, format: 'wav' } }]) },
      { audio: true, tokens: 5 },
    ],
    [
      'a document',
      { contents: [{ parts: [{ inlineData: { mimeType: 'application/pdf', data: DATA } }] }] },
      { document: true, tokens: 4 },
    ],
    ['tools', { tools: [{ type: 'function', function: { name: 'f' } }] }, { tools: true, tokens: 3 }],
    ['a schema of chat completions', { response_format: { type: 'json_schema' } }, { jsonSchema: true }],
    ['a schema of responses', { text: { format: { type: 'json_schema' } } }, { jsonSchema: true }],
    ['a schema of messages', { output_config: { format: { type: 'json_schema' } } }, { jsonSchema: true }],
    ['a schema of Gemini', { generationConfig: { responseJsonSchema: {} } }, { jsonSchema: true }],
    ['a plain format', { response_format: { type: 'json_object' } }, {}],
    ['empty lists', { messages: [], tools: [] }, {}],
  ])('returns the demands of a body with %s', (_name, body, expected) => {
    expect(demandsOf(body)).toEqual({ ...NOTHING, ...expected });
  });

  it('returns no demands for values that are not objects', () => {
    for (const body of [undefined, null, 'text', 5, []]) expect(demandsOf(body)).toEqual(NOTHING);
  });

  it('reads a body that is nested deeper than the call stack', () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(demandsOf({ messages: deep }).tokens).toBe(1);
  });
});

describe('conditions on demands of a body', () => {
  const chosen = (query: object, params: object): string | null => {
    const targets = [
      { name: 'one', provider: 'groq' },
      { name: 'other', provider: 'openai' },
    ];
    const conditions = [{ query, then: 'one' }];
    const compiled = compileConfig({
      strategy: { mode: 'conditional', conditions, default: 'other' },
      targets,
    });
    const request = { metadata: {}, params, headers: {}, pathname: '/v1/chat/completions', caller: '' };
    return simulate(compiled, request, [], { nowMs: 0 }).plan[0]?.name ?? null;
  };

  it.each<[object, object, string]>([
    [{ context_tokens: { $gt: 100 } }, { messages: user('x'.repeat(4_000)) }, 'one'],
    [{ context_tokens: { $gt: 100 } }, { messages: user('x') }, 'other'],
    [{ 'has.tools': true }, { tools: [{}] }, 'one'],
    [{ 'has.tools': true }, {}, 'other'],
    [{ 'has.image': false, 'needs.json_schema': true }, { response_format: { type: 'json_schema' } }, 'one'],
  ])('%j with body %j chooses target %s', (query, params, name) => {
    expect(chosen(query, params)).toBe(name);
  });

  it.each([{ 'has.tools': 'yes' }, { context_tokens: 'many' }, { context_tokens: { $gt: 'x' } }])(
    'refuses %j',
    (query) => {
      const conditions = [{ query, then: 'one' }];
      const targets = [{ name: 'one', provider: 'groq' }];
      const result = validateConfig({ strategy: { mode: 'conditional', conditions }, targets });
      expect(result).toMatchObject({ ok: false, details: [{ rule: 'type' }] });
    },
  );
});
