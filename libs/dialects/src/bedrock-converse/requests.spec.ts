import type { JsonObject } from '../call';
import { LLAMA, lostOfChat, NOVA, ofChat, ofMessages, OPUS, refusal } from './spec-facts';

const USER = { role: 'user', content: 'Hi' };
const TOOL = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } };
const fields = (body: JsonObject): unknown => body['additionalModelRequestFields'];

describe('reasoning', () => {
  it('is a budget of Claude 4.5, which is a share of the maximum', () => {
    const body = ofChat({ reasoning_effort: 'medium', max_tokens: 10_000 });
    expect(fields(body)).toEqual({ thinking: { type: 'enabled', budget_tokens: 5_000 } });
  });

  it('is sent with the output maximum of which the budget is a share', () => {
    const body = ofChat({ reasoning_effort: 'low' });
    expect(body['inferenceConfig']).toEqual({ maxTokens: 64_000 });
    expect(lostOfChat({ reasoning_effort: 'low' })).toContain('max_tokens=generated');
  });

  it('is adaptive with an effort on newer Claude models', () => {
    expect(fields(ofChat({ reasoning_effort: 'high' }, OPUS))).toEqual({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
    });
  });

  it('is disabled with a budget if the history has calls without their thinking', () => {
    const messages = [
      USER,
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ];
    const body = { messages, tools: [TOOL], reasoning_effort: 'high', max_tokens: 8_000 };
    expect(ofChat(body)).not.toHaveProperty('additionalModelRequestFields');
    expect(lostOfChat(body)).toContain('reasoning_effort=approximated');
  });

  it.each([
    ['low', { type: 'enabled', maxReasoningEffort: 'low' }],
    ['minimal', { type: 'enabled', maxReasoningEffort: 'low' }],
    ['xhigh', { type: 'enabled', maxReasoningEffort: 'high' }],
    ['none', { type: 'disabled' }],
  ])('encodes the effort %s for Nova 2', (effort, reasoningConfig) => {
    expect(fields(ofChat({ reasoning_effort: effort }, 'us.amazon.nova-2-lite-v1:0'))).toEqual({
      reasoningConfig,
    });
  });

  it('is at most medium on Nova 2 when the output is limited, which excludes high', () => {
    const body = { reasoning_effort: 'high', max_tokens: 100 };
    expect(fields(ofChat(body, 'amazon.nova-2-lite-v1:0'))).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' },
    });
    expect(lostOfChat(body, 'amazon.nova-2-lite-v1:0')).toEqual(['reasoning_effort=approximated']);
  });

  it('is refused for models whose reasoning cannot be controlled', () => {
    expect(refusal(() => ofChat({ reasoning_effort: 'high' }, LLAMA))).toEqual([
      'unsupported_by_provider',
      'reasoning_effort',
    ]);
    expect(ofChat({ reasoning_effort: 'none' }, LLAMA)).not.toHaveProperty('additionalModelRequestFields');
  });

  it('excludes a forced tool and other temperatures', () => {
    const body = { reasoning_effort: 'low', max_tokens: 9_000, tools: [TOOL] };
    expect(refusal(() => ofChat({ ...body, tool_choice: 'required' }))[1]).toBe('tool_choice');
    expect(refusal(() => ofChat({ ...body, temperature: 0.5 }))[1]).toBe('temperature');
  });
});

describe('tools', () => {
  it('are left out for tool_choice none, unless the history has calls', () => {
    expect(ofChat({ tools: [TOOL], tool_choice: 'none' })).not.toHaveProperty('toolConfig');
    expect(lostOfChat({ tools: [TOOL], tool_choice: 'none' })).toEqual([]);
    const messages = [
      USER,
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ];
    const body = { messages, tools: [TOOL], tool_choice: 'none' };
    expect(ofChat(body)['toolConfig']).toEqual({
      tools: [expect.objectContaining({ toolSpec: expect.anything() as unknown })],
    });
    expect(lostOfChat(body)).toEqual(['tool_choice=approximated']);
  });

  it('are sent as a subset when only some are allowed', () => {
    const other = { type: 'function', function: { name: 'g' } };
    const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'g' } }] };
    const body = ofChat({
      tools: [TOOL, other],
      tool_choice: { type: 'allowed_tools', allowed_tools: allowed },
    });
    expect(body['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: 'g', inputSchema: { json: { type: 'object', properties: {} } } } }],
      toolChoice: { any: {} },
    });
  });

  it('are called one at a time by Claude through its own tool choice', () => {
    const body = ofChat({ tools: [TOOL], tool_choice: 'required', parallel_tool_calls: false });
    expect(fields(body)).toEqual({ tool_choice: { type: 'any', disable_parallel_tool_use: true } });
    expect(body['toolConfig']).not.toHaveProperty('toolChoice');
    expect(refusal(() => ofChat({ tools: [TOOL], parallel_tool_calls: false }, NOVA))[1]).toBe(
      'parallel_tool_calls',
    );
  });

  it('cannot be forced on models without a tool choice', () => {
    expect(refusal(() => ofChat({ tools: [TOOL], tool_choice: 'required' }, LLAMA))[1]).toBe('tool_choice');
    const named = { type: 'function', function: { name: 'f' } };
    const body = ofChat({ tools: [TOOL], tool_choice: named }, 'mistral.mistral-large-2402-v1:0');
    expect(body['toolConfig']).toMatchObject({ toolChoice: { any: {} } });
  });

  it('are strict where the model enforces them', () => {
    const strict = { type: 'function', function: { ...TOOL.function, strict: true } };
    expect(ofChat({ tools: [strict] })['toolConfig']).toMatchObject({
      tools: [{ toolSpec: { strict: true, inputSchema: { json: { additionalProperties: false } } } }],
    });
  });

  it("search the web with Nova's own tool, and are refused on other models", () => {
    expect(ofChat({ web_search_options: {} }, NOVA)['toolConfig']).toEqual({
      tools: [{ systemTool: { name: 'nova_grounding' } }],
    });
    expect(refusal(() => ofChat({ web_search_options: {} }))).toEqual([
      'unsupported_by_provider',
      'web_search_options',
    ]);
  });

  it('record the status of a result as a loss if the model has none', () => {
    const messages = [
      USER,
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x', is_error: true }] },
    ];
    expect(JSON.stringify(ofMessages({ messages }, LLAMA))).not.toContain('status');
  });
});

describe('messages', () => {
  it('must not end with a prefill, unless the model supports it', () => {
    const messages = [USER, { role: 'assistant', content: 'It is ' }];
    expect(ofChat({ messages })['messages']).toEqual([
      { role: 'user', content: [{ text: 'Hi' }] },
      { role: 'assistant', content: [{ text: 'It is' }] },
    ]);
    for (const model of [OPUS, NOVA])
      expect(refusal(() => ofChat({ messages }, model))[1]).toBe('messages.1');
  });

  it('need a result for each call, and a call for each result', () => {
    const calls = {
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    };
    expect(refusal(() => ofChat({ messages: [USER, calls, USER] }))).toEqual([
      'validation_failed',
      'messages.1.tool_calls.0',
    ]);
    const result = { role: 'tool', tool_call_id: 'b', content: '1' };
    expect(refusal(() => ofChat({ messages: [USER, calls, result] }))[0]).toBe('validation_failed');
  });

  it('accept the media of the model family', () => {
    const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } };
    const content = [audio, { type: 'text', text: 'x' }];
    expect(refusal(() => ofChat({ messages: [{ role: 'user', content }] }))[0]).toBe(
      'unsupported_by_provider',
    );
    const { messages } = ofChat({ messages: [{ role: 'user', content }] }, 'mistral.voxtral-mini-3b-2507');
    expect(messages).toEqual([
      { role: 'user', content: [{ audio: { format: 'mp3', source: { bytes: 'AAAA' } } }, { text: 'x' }] },
    ]);
    const video = { type: 'video_url', video_url: { url: 's3://bucket/a.mp4' } };
    expect(ofChat({ messages: [{ role: 'user', content: [video] }] }, NOVA)['messages']).toEqual([
      {
        role: 'user',
        content: [{ video: { format: 'mp4', source: { s3Location: { uri: 's3://bucket/a.mp4' } } } }],
      },
    ]);
  });

  it('report a generated document name as a loss', () => {
    const file = { type: 'file', file: { file_data: 'data:text/csv;base64,YSxi' } };
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'x' }, file] }];
    expect(ofChat({ messages })['messages']).toMatchObject([
      {
        content: [
          { text: 'x' },
          { document: { format: 'csv', name: 'document-1', source: { bytes: 'YSxi' } } },
        ],
      },
    ]);
    expect(lostOfChat({ messages })).toEqual(['messages.0.content.1=generated']);
  });

  it('refuse images of other formats, and files by id', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/bmp;base64,AAAA' } };
    expect(refusal(() => ofChat({ messages: [{ role: 'user', content: [image] }] }))).toEqual([
      'unsupported_by_provider',
      'messages.0.content.0.image_url.url',
    ]);
    const file = { type: 'file', file: { file_id: 'file_1' } };
    expect(refusal(() => ofChat({ messages: [{ role: 'user', content: [file] }] }))[0]).toBe(
      'unsupported_by_provider',
    );
  });
});

describe('parameters', () => {
  it('without an equivalent are refused, or dropped as hints', () => {
    const body = {
      n: 2,
      seed: 1,
      user: 'u',
      frequency_penalty: 0,
      presence_penalty: 0.5,
      logit_bias: {},
      store: true,
    };
    expect(refusal(() => ofChat(body))).toEqual(['unsupported_by_provider', 'n']);
    const hints = {
      seed: 1,
      user: 'u',
      frequency_penalty: 0,
      n: 1,
      store: true,
      prompt_cache_key: 'k',
      extra: 1,
    };
    expect(lostOfChat(hints).sort()).toEqual([
      'extra=dropped',
      'prompt_cache_key=dropped',
      'seed=dropped',
      'store=dropped',
      'user=dropped',
    ]);
  });

  it('are limited to the range that Bedrock accepts', () => {
    expect(refusal(() => ofChat({ temperature: 1.5 }, NOVA))).toEqual([
      'unsupported_by_provider',
      'temperature',
    ]);
    expect(refusal(() => ofChat({ temperature: 0.5 }, OPUS))).toEqual([
      'unsupported_by_provider',
      'temperature',
    ]);
    expect(refusal(() => ofChat({ top_k: 5 }, LLAMA))).toEqual(['unsupported_by_provider', 'top_k']);
    expect(refusal(() => ofChat({ max_tokens: 65_000 }))).toEqual(['unsupported_by_provider', 'max_tokens']);
  });

  it('are sent as metadata only if Bedrock accepts them', () => {
    const metadata = { team: 'x', 'a"b': 'y', long: 'z'.repeat(300) };
    expect(ofChat({ metadata })['requestMetadata']).toEqual({ team: 'x' });
    expect(lostOfChat({ metadata })).toEqual(['metadata.a"b=dropped', 'metadata.long=dropped']);
  });

  it('request from Claude the stop sequence that ended the response', () => {
    expect(ofChat({ stop: ['x'] })).toMatchObject({
      additionalModelResponseFieldPaths: ['/stop_sequence', '/delta/stop_sequence'],
    });
    expect(ofChat({ stop: ['x'] }, LLAMA)).not.toHaveProperty('additionalModelResponseFieldPaths');
  });
});
