import type { JsonObject } from '../call';
import { CLIENT_CODECS, PROVIDER_CODECS } from '../codecs';
import { targetOf } from '../target';
import { translateCall, type TranslatedCall } from '../translate';
import { readStream } from '../spec-support/client-streams';
import { geminiProvider } from './index';

const target = targetOf({ provider: 'google', dialect: 'gemini', model: 'gemini-3-pro-preview' });

function translated(dialect: string, request: JsonObject): TranslatedCall {
  const client = CLIENT_CODECS.get(dialect);
  if (client === undefined) throw new Error(`No client codec of ${dialect}`);
  return translateCall(client, geminiProvider, request, {
    target,
    loss: 'strict',
    requestId: 'req_1',
    createdAt: 1_700_000_000,
    address: { model: target.model },
  });
}

const RESPONSE: JsonObject = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          { text: 'hm', thought: true },
          { text: 'Looking.' },
          { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2lnbmF0dXJl' },
          { functionCall: { name: 'g', args: {} } },
        ],
      },
      finishReason: 'STOP',
      index: 0,
    },
  ],
  usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2, thoughtsTokenCount: 1 },
  modelVersion: 'gemini-3-pro-preview',
  responseId: 'r',
};

/** Returns the chunks of the response as a stream. */
const FRAMES = (RESPONSE['candidates'] as { content: { parts: JsonObject[] } }[])[0]?.content.parts.map(
  (part): JsonObject => ({
    ...RESPONSE,
    candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }],
  }),
);
const LAST = {
  ...RESPONSE,
  candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP', index: 0 }],
};

interface Conversation {
  readonly first: JsonObject;
  /**
   * Returns the next request, with the parts of the response that the client keeps and the results
   * of its calls.
   */
  readonly next: (response: JsonObject) => JsonObject;
}

const list = (value: unknown): JsonObject[] => value as JsonObject[];

const CONVERSATIONS: Readonly<Record<string, Conversation>> = {
  'openai-chat': {
    first: { model: 'm', messages: [{ role: 'user', content: 'w' }] },
    next: (response) => {
      const [choice] = list(response['choices']);
      const message = choice?.['message'] as JsonObject;
      const results = list(message['tool_calls']).map(({ id }) => ({
        role: 'tool',
        tool_call_id: id,
        content: 'ok',
      }));
      return {
        model: 'm',
        messages: [{ role: 'user', content: 'w' }, { ...message, role: 'assistant' }, ...results],
      };
    },
  },
  'anthropic-messages': {
    first: { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'w' }] },
    next: (response) => {
      const content = list(response['content']);
      const results = content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' }));
      const messages = [
        { role: 'user', content: 'w' },
        { role: 'assistant', content },
        { role: 'user', content: results },
      ];
      return { model: 'm', max_tokens: 100, messages };
    },
  },
  'openai-responses': {
    first: { model: 'm', input: 'w', store: false, include: ['reasoning.encrypted_content'] },
    next: (response) => {
      const output = list(response['output']);
      const results = output
        .filter(({ type }) => type === 'function_call')
        .map((item) => ({ type: 'function_call_output', call_id: item['call_id'], output: 'ok' }));
      return { model: 'm', store: false, input: [{ role: 'user', content: 'w' }, ...output, ...results] };
    },
  },
};

describe('a signature of Gemini survives the client', () => {
  const expectedModel = {
    role: 'model',
    parts: [
      { text: 'Looking.' },
      { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2lnbmF0dXJl' },
      { functionCall: { name: 'g', args: {} } },
    ],
  };

  function check(dialect: string, response: JsonObject): void {
    const { next } = CONVERSATIONS[dialect] as Conversation;
    const { body, losses } = translated(dialect, JSON.parse(JSON.stringify(next(response))) as JsonObject);
    expect(list(body['contents'])[1]).toEqual(expectedModel);
    const results = list(list(body['contents'])[2]?.['parts']);
    expect(results.map((part) => (part['functionResponse'] as JsonObject)['name'])).toEqual(['f', 'g']);
    expect(losses.losses.filter(({ code }) => code === 'generated')).toEqual([]);
  }

  it.each(Object.entries(CONVERSATIONS))(
    'keeps the signature of a whole response for a client of %s',
    (dialect, { first }) => {
      check(dialect, translated(dialect, first).response(RESPONSE));
    },
  );

  it.each(Object.entries(CONVERSATIONS))(
    'keeps the signature of a streamed response for a client of %s',
    (dialect, { first }) => {
      const stream = translated(dialect, { ...first, stream: true }).stream();
      const bytes = [...(FRAMES ?? []), LAST]
        .map((frame) => `data: ${JSON.stringify(frame)}\r\n\r\n`)
        .join('');
      check(dialect, readStream(dialect, stream.write(Buffer.from(bytes)) + stream.end()).folded);
    },
  );
});

describe('seals of other makers survive a Gemini client', () => {
  function exchange(
    dialect: string,
    model: string,
    answer: JsonObject,
    results: readonly string[],
  ): JsonObject {
    const provider = PROVIDER_CODECS.get(dialect);
    const client = CLIENT_CODECS.get('gemini');
    if (provider === undefined || client === undefined) throw new Error(`No codec of ${dialect}`);
    const facts = {
      target: targetOf({ provider: dialect, dialect: provider.dialect, model }),
      loss: 'strict',
      requestId: 'req_1',
      createdAt: 1_700_000_000,
      address: { model },
    } as const;
    const tools = [{ functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT' } }] }];
    const generationConfig = {
      thinkingConfig: { thinkingBudget: 2_048, includeThoughts: true },
      maxOutputTokens: 8_192,
    };
    const contents = [{ role: 'user', parts: [{ text: 'w' }] }];
    const request = { contents, tools, generationConfig };
    const response = translateCall(client, provider, request, facts).response(answer);
    const [candidate] = list(response['candidates']);
    const responded = {
      role: 'user',
      parts: results.map((name) => ({ functionResponse: { name, response: { output: 'ok' } } })),
    };
    const next = { ...request, contents: [...contents, candidate?.['content'], responded] };
    return translateCall(client, provider, JSON.parse(JSON.stringify(next)) as JsonObject, facts).body;
  }

  it('thinking of Anthropic, redacted too', () => {
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'ZGF0YQ==' },
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
    ];
    const response = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const body = exchange('anthropic-messages', 'claude-sonnet-4-5', response, ['f']);
    expect(list(body['messages'])[1]?.['content']).toEqual(content);
    expect(list(list(body['messages'])[2]?.['content'])[0]).toMatchObject({
      type: 'tool_result',
      tool_use_id: 'toolu_1',
    });
  });

  it('thinking of Anthropic that was streamed, with each event as a separate content', () => {
    const signature = Buffer.from('gw1.anthropic.c2ln').toString('base64');
    const pieces: readonly JsonObject[] = [
      { text: 'h', thought: true },
      { text: 'm', thought: true },
      { text: '', thought: true, thoughtSignature: signature },
      { text: 'Look' },
      { functionCall: { name: 'f', args: {} } },
    ];
    const call = CLIENT_CODECS.get('gemini')?.decodeCall({
      contents: [
        { role: 'user', parts: [{ text: 'w' }] },
        ...pieces.map((part) => ({ role: 'model', parts: [part] })),
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
      ],
    });
    expect(call?.turns).toHaveLength(3);
    expect(call?.turns[1]?.parts).toMatchObject([
      { kind: 'reasoning', text: 'hm', seal: { by: 'anthropic', value: 'c2ln' } },
      { kind: 'text', text: 'Look' },
      { kind: 'tool_call' },
    ]);
  });

  it('encrypted reasoning of the Responses API', () => {
    const output = [
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'hm' }],
        encrypted_content: 'gAAA',
      },
      {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name: 'f',
        arguments: '{}',
        status: 'completed',
      },
    ];
    const response = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'm',
      output,
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    };
    const body = exchange('openai-responses', 'gpt-5.4', response, ['f']);
    const input = list(body['input']);
    expect(input.find(({ type }) => type === 'reasoning')).toMatchObject({
      encrypted_content: 'gAAA',
      summary: [{ text: 'hm' }],
    });
    expect(input.find(({ type }) => type === 'function_call_output')).toMatchObject({ call_id: 'call_1' });
  });
});
