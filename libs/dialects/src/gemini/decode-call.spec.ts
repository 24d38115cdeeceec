import { GatewayError } from '@gw/kernel';
import type { JsonObject, ModelCall } from '../call';
import { geminiClient } from './index';

const decode = (body: JsonObject): ModelCall => geminiClient.decodeCall(body, { model: 'm', stream: false });
const hi = [{ role: 'user', parts: [{ text: 'Hi' }] }];

const fault = (body: JsonObject): string | undefined => faultOf(() => decode(body));

function faultOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.type === 'validation_failed') return thrown.options.param;
    throw thrown;
  }
  return undefined;
}

const nested = (levels: number): JsonObject => {
  let schema: JsonObject = { type: 'STRING' };
  for (let level = 0; level < levels; level += 1) schema = { type: 'ARRAY', items: schema };
  return schema;
};

describe('gemini: requests of clients', () => {
  it.each<[string | undefined, JsonObject]>([
    ['contents', {}],
    ['contents', { contents: [] }],
    ['contents.0', { contents: ['Hi'] }],
    ['contents.0.role', { contents: [{ role: 'system', parts: [{ text: 'x' }] }] }],
    ['contents.0.parts.0', { contents: [{ parts: [{}] }] }],
    ['contents.0.parts.0.text', { contents: [{ parts: [{ text: 5 }] }] }],
    [
      'contents.0.parts.0.inline_data.data',
      { contents: [{ parts: [{ inline_data: { mime_type: 'image/png' } }] }] },
    ],
    ['contents.0.parts.0.fileData.fileUri', { contents: [{ parts: [{ fileData: {} }] }] }],
    ['contents.0.parts.0.functionCall.name', { contents: [{ parts: [{ functionCall: {} }] }] }],
    [
      'contents.0.parts.0.functionCall.args',
      { contents: [{ parts: [{ functionCall: { name: 'f', args: [] } }] }] },
    ],
    [
      'contents.0.parts.0.function_response',
      { contents: [{ parts: [{ function_response: { name: 'f', response: {} } }] }] },
    ],
    [
      'contents.0.parts.0.videoMetadata.startOffset',
      { contents: [{ parts: [{ fileData: { fileUri: 'gs://a' }, videoMetadata: { startOffset: '1m' } }] }] },
    ],
    [
      'system_instruction.parts.0',
      { contents: hi, system_instruction: { parts: [{ inlineData: { data: 'AA' } }] } },
    ],
    ['generation_config.max_output_tokens', { contents: hi, generation_config: { max_output_tokens: 'x' } }],
    [
      'generationConfig.responseMimeType',
      { contents: hi, generationConfig: { responseMimeType: 'text/html' } },
    ],
    [
      'generationConfig.responseModalities',
      { contents: hi, generationConfig: { responseModalities: ['SMELL'] } },
    ],
    [
      'generationConfig.thinkingConfig.thinkingLevel',
      { contents: hi, generationConfig: { thinkingConfig: { thinkingLevel: 'EXTREME' } } },
    ],
    ['generationConfig.responseSchema', { contents: hi, generationConfig: { responseSchema: nested(100) } }],
    ['tools.0.functionDeclarations.0.name', { contents: hi, tools: [{ functionDeclarations: [{}] }] }],
    [
      'toolConfig.functionCallingConfig.mode',
      { contents: hi, toolConfig: { functionCallingConfig: { mode: 'SOME' } } },
    ],
    ['labels.a', { contents: hi, labels: { a: 1 } }],
  ])('names %s as the broken member', (path, body) => {
    expect(fault(body)).toBe(path);
  });

  it('pairs results with calls by id, then by name and order', () => {
    const call = (id?: string): JsonObject => ({
      functionCall: { name: 'f', ...(id === undefined ? {} : { id }) },
    });
    const result = (id?: string): JsonObject => ({
      functionResponse: { name: 'f', response: {}, ...(id === undefined ? {} : { id }) },
    });
    const { turns } = decode({
      contents: [
        ...hi,
        { role: 'model', parts: [call(), call('x'), call()] },
        { role: 'user', parts: [result('x'), result(), result()] },
      ],
    });
    const calls = turns[1]?.parts.map((part) => (part.kind === 'tool_call' ? part.id : ''));
    const results = turns[2]?.parts.map((part) => (part.kind === 'tool_result' ? part.callId : ''));
    expect(calls?.[1]).toBe('x');
    expect(results).toEqual([calls?.[1], calls?.[0], calls?.[2]]);
    expect(new Set(calls).size).toBe(3);
  });

  it('assigns the same id to a call without one in the next request', () => {
    const contents = [
      ...hi,
      { role: 'model', parts: [{ functionCall: { name: 'f' } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
    ];
    const idOf = ({ turns }: ModelCall): unknown => (turns[1]?.parts[0] as { id: string }).id;
    expect(idOf(decode({ contents }))).toBe(idOf(decode({ contents: [...contents, ...hi] })));
  });

  it.each([
    [{ thinkingBudget: 0 }, { budget: 0, effort: 'none', summary: 'off' }],
    [{ thinkingBudget: 1_024 }, { budget: 1_024, effort: 'low', summary: 'off' }],
    [
      { thinkingBudget: 8_192, includeThoughts: true },
      { budget: 8_192, effort: 'medium', summary: 'auto' },
    ],
    [{ thinkingBudget: 9_000 }, { budget: 9_000, effort: 'high', summary: 'off' }],
    [{ thinkingBudget: -1 }, { budget: -1, adaptive: true, summary: 'off' }],
    [{ thinkingLevel: 'MINIMAL' }, { effort: 'minimal', summary: 'off' }],
    [
      { thinking_level: 'high', include_thoughts: true },
      { effort: 'high', summary: 'auto' },
    ],
  ])('reads the thinkingConfig %j', (thinkingConfig, reasoning) => {
    expect(decode({ contents: hi, generationConfig: { thinkingConfig } }).reasoning).toEqual(reasoning);
  });

  it('keeps members without a place under their paths', () => {
    const { x } = decode({
      contents: hi,
      store: true,
      generation_config: { media_resolution: 'MEDIA_RESOLUTION_LOW' },
      toolConfig: { retrievalConfig: {} },
    });
    expect(Object.keys(x?.gemini ?? {})).toEqual([
      'store',
      'generation_config.media_resolution',
      'toolConfig.retrievalConfig',
    ]);
  });

  it('converts the OpenAPI subset to JSON Schema', () => {
    const parameters = {
      type: 'OBJECT',
      properties: {
        b: { type: 'STRING', nullable: true, enum: ['x'] },
        a: { any_of: [{ type: 'NUMBER' }], nullable: true, minItems: '2' },
      },
      property_ordering: ['a', 'b', 'gone'],
      required: ['a'],
    };
    const [tool] =
      decode({ contents: hi, tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] }).tools ?? [];
    expect(JSON.stringify(tool?.schema)).toBe(
      JSON.stringify({
        type: 'object',
        properties: {
          a: { anyOf: [{ type: 'number' }, { type: 'null' }], minItems: 2 },
          b: { type: ['string', 'null'], enum: ['x', null] },
        },
        required: ['a'],
      }),
    );
  });

  it('treats hostile member names like any other', () => {
    const body = JSON.parse(
      '{"contents":[{"parts":[{"text":"a","__proto__":{"polluted":1}}]}],"__proto__":{"polluted":1},"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","properties":{"__proto__":{"type":"STRING"}}}}],"__proto__":{"polluted":1}}]}',
    ) as JsonObject;
    const call = decode(body);
    expect(Object.keys((call.tools?.[0]?.schema as { properties: object }).properties)).toEqual([
      '__proto__',
    ]);
    expect(({} as JsonObject)['polluted']).toBeUndefined();
    expect(call.x).toBeUndefined();
    expect(call.tools).toHaveLength(1);
  });

  it('reads a history of many parts in linear time', () => {
    const pair = [
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
    ];
    const contents = [...hi, ...Array.from({ length: 10_000 }, () => pair).flat()];
    expect(decode({ contents }).turns).toHaveLength(20_001);
    expect(
      fault({ contents: [{ role: 'user', parts: Array.from({ length: 60_000 }, () => ({ text: 'a' })) }] }),
    ).toBe('contents');
  });

  it('counts the tokens of a request or of contents', () => {
    const tokens = geminiClient.tokenCounter;
    const request = { model: 'models/m', contents: hi, systemInstruction: { parts: [{ text: 'S' }] } };
    expect(tokens?.decodeCall({ generateContentRequest: request }, { model: 'm' }).system).toMatchObject([
      { text: 'S' },
    ]);
    expect(tokens?.decodeCall({ contents: hi }, { model: 'm' }).turns).toHaveLength(1);
    expect(faultOf(() => tokens?.decodeCall({ generateContentRequest: {} }))).toBe(
      'generateContentRequest.contents',
    );
    expect(tokens?.encodeResponse({ input: 3, cached: 1 })).toEqual({
      totalTokens: 3,
      cachedContentTokenCount: 1,
    });
  });
});
