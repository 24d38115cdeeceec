import { GatewayError } from '@gw/kernel';
import type { JsonObject, ModelCall } from '../call';
import type { ClientContext, ProviderContext } from '../codec';
import type { ModelResponse, StreamEvent } from '../response';
import { readStream } from '../spec-support/client-streams';
import { fold } from '../stream/fold';
import { targetOf } from '../target';
import { geminiClient, geminiProvider } from './index';

const call: ModelCall = { model: 'm', stream: true, system: [], turns: [], paths: {} };
const provider: ProviderContext = {
  call,
  target: targetOf({ provider: 'google', dialect: 'gemini', model: 'gemini-2.5-flash' }),
  requestId: 'req_1',
  createdAt: 1_700_000_000,
};
const client: ClientContext = {
  call,
  request: {},
  provider: 'openai',
  model: 'm',
  requestId: 'req_1',
  createdAt: 1_700_000_000,
};

const sse = (...events: readonly unknown[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join('');
const parts = (list: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: 'model', parts: list }, index: 0, ...more }],
  responseId: 'r',
  modelVersion: 'gemini-x',
});
const USAGE = { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6 };

/** Decodes a stream whose bytes are cut into pieces of `size`. */
function decoded(text: string, size = Infinity): StreamEvent[] {
  const decoder = geminiProvider.decodeStream(provider);
  const bytes = Buffer.from(text);
  const events: StreamEvent[] = [];
  for (let at = 0; at < bytes.length; at += size)
    events.push(...decoder.write(bytes.subarray(at, at + size)));
  return [...events, ...decoder.end()];
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown.type;
    throw thrown;
  }
  return 'none';
}

const whole = (body: JsonObject): ModelResponse => geminiProvider.decodeResponse(body, provider);

describe('gemini responses of the provider', () => {
  it('counts thoughts as output, and tool prompts as input', () => {
    const usageMetadata = {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 2,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 4,
      cachedContentTokenCount: 5,
    };
    expect(whole({ ...parts([{ text: 'x' }], { finishReason: 'STOP' }), usageMetadata }).usage).toMatchObject(
      {
        input: 12,
        output: 7,
        reasoning: 4,
        cacheRead: 5,
      },
    );
  });

  it.each([
    ['no candidates', {}],
    ['an error', { error: { code: 500, message: 'x', status: 'INTERNAL' } }],
    ['a malformed call and nothing else', parts([], { finishReason: 'MALFORMED_FUNCTION_CALL' })],
    ['a call without a name', parts([{ functionCall: { args: {} } }])],
    [
      'a candidate number that is none',
      { candidates: [{ index: 1e9, content: { parts: [{ text: 'x' }] } }] },
    ],
  ])('refuses a response with %s', (_name, body) => {
    expect(refusal(() => whole(body))).toBe('provider_answer_invalid');
  });

  it('returns the ids of the provider, or generated ones, which are the same in a stream', () => {
    const list = [
      { functionCall: { id: 'x1', name: 'f', args: {} } },
      { text: 'and' },
      { functionCall: { name: 'g' } },
    ];
    const ids = (response: ModelResponse): unknown[] =>
      response.candidates[0]?.parts
        .filter(({ kind }) => kind === 'tool_call')
        .map((part) => (part as { id: string }).id) ?? [];
    const found = ids(whole(parts(list, { finishReason: 'STOP' })));
    expect(found).toEqual(['x1', expect.stringMatching(/^call_[0-9A-Za-z]{24}$/)]);
    expect(
      ids(fold(decoded(sse(...list.map((part) => parts([part])), parts([], { finishReason: 'STOP' }))))),
    ).toEqual(found);
  });

  it('reads grounding as citations whose offsets are code units', () => {
    const text = 'Ä😀 Oslo is cold.';
    const bytes = (end: string): number => Buffer.byteLength(text.slice(0, text.indexOf(end) + end.length));
    const groundingMetadata = {
      webSearchQueries: ['a', 'b'],
      groundingChunks: [{ web: { uri: 'https://x.example', title: 'X' } }, { web: { title: 'no address' } }],
      groundingSupports: [
        {
          segment: { startIndex: bytes('😀 '), endIndex: bytes('Oslo'), text: 'Oslo' },
          groundingChunkIndices: [0, 1, 99],
        },
        { segment: { endIndex: 1e6 }, groundingChunkIndices: [0] },
      ],
    };
    const body = parts([{ text }], { finishReason: 'STOP', groundingMetadata });
    const expected = [
      { url: 'https://x.example', title: 'X', citedText: 'Oslo', start: 4, end: 8 },
      { url: 'https://x.example', title: 'X' },
    ];
    const response = whole({ ...body, usageMetadata: USAGE });
    expect(response.candidates[0]?.parts).toEqual([{ kind: 'text', text, citations: expected }]);
    expect(response.usage?.searches).toBe(2);
    const streamed = fold(
      decoded(
        sse(
          parts([{ text: text.slice(0, 3) }]),
          parts([{ text: text.slice(3) }]),
          parts([], { finishReason: 'STOP', groundingMetadata }),
        ),
      ),
    );
    expect(streamed.candidates[0]?.parts).toEqual([{ kind: 'text', text, citations: expected }]);
    // A Gemini client gets byte offsets again.
    const [candidate] = geminiClient.encodeResponse(response, client)['candidates'] as {
      groundingMetadata: JsonObject;
    }[];
    expect(candidate?.groundingMetadata).toMatchObject({
      groundingChunks: [{ web: { uri: 'https://x.example', title: 'X' } }],
      groundingSupports: [
        { segment: { startIndex: 7, endIndex: 11, text: 'Oslo' }, groundingChunkIndices: [0] },
      ],
    });
  });

  it('returns why a prompt was blocked', () => {
    const body = {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 4 },
    };
    expect(whole(body)).toMatchObject({
      candidates: [
        {
          parts: [{ kind: 'refusal', text: 'Blocked: PROHIBITED_CONTENT' }],
          finish: { reason: 'content_filter', raw: 'PROHIBITED_CONTENT' },
        },
      ],
      usage: { input: 4, output: 0 },
    });
    expect(fold(decoded(sse(body)))).toEqual(whole(body));
  });

  it('reads log probabilities', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'a', logProbability: -0.1 }],
      topCandidates: [
        {
          candidates: [
            { token: 'a', logProbability: -0.1 },
            { token: 'b', logProbability: -2 },
          ],
        },
      ],
    };
    const response = whole(parts([{ text: 'a' }], { finishReason: 'STOP', logprobsResult }));
    expect(response.candidates[0]?.logprobs).toEqual([
      {
        token: 'a',
        logprob: -0.1,
        top: [
          { token: 'a', logprob: -0.1 },
          { token: 'b', logprob: -2 },
        ],
      },
    ]);
    const [candidate] = geminiClient.encodeResponse(response, client)['candidates'] as JsonObject[];
    expect(candidate?.['logprobsResult']).toEqual(logprobsResult);
  });
});

describe('gemini streams of the provider', () => {
  const list: readonly JsonObject[] = [
    { text: 'hm', thought: true },
    { text: 'm', thought: true, thoughtSignature: 'dGg=' },
    { text: 'Hé' },
    { text: 'llo', thoughtSignature: 'dHg=' },
    { functionCall: { name: 'f', args: { a: '😀' } }, thoughtSignature: 'Y2E=' },
    { functionCall: { name: 'g', args: {} } },
    { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    { text: '', thoughtSignature: 'ZW5k' },
  ];

  it.each([Infinity, 1, 7])('a stream cut every %s bytes equals the whole response', (size) => {
    const stream = sse(...list.map((part) => parts([part])), {
      ...parts([], { finishReason: 'STOP' }),
      usageMetadata: USAGE,
    });
    const body = { ...parts(list, { finishReason: 'STOP' }), usageMetadata: USAGE };
    const events = decoded(stream, size);
    expect(fold(events)).toEqual(whole(body));
    expect(whole(body).candidates[0]?.finish.reason).toBe('tool_calls');
    expect(whole(body).candidates[0]?.parts.map(({ kind }) => kind)).toEqual([
      'reasoning',
      'text',
      'tool_call',
      'tool_call',
      'media',
      'reasoning',
    ]);
    expect(events.at(-1)?.t).toBe('done');
  });

  it('reports the last usage once, before the end', () => {
    const events = decoded(
      sse(
        { ...parts([{ text: 'x' }]), usageMetadata: { ...USAGE, candidatesTokenCount: 1 } },
        { ...parts([], { finishReason: 'STOP' }), usageMetadata: USAGE },
      ),
    );
    expect(events.filter(({ t }) => t === 'usage')).toMatchObject([{ usage: { input: 4, output: 2 } }]);
    expect(events.slice(-3).map(({ t }) => t)).toEqual(['finish', 'usage', 'done']);
  });

  it('reports the usage so far when the stream is cut', () => {
    const events = decoded(sse({ ...parts([{ text: 'x' }]), usageMetadata: USAGE }));
    expect(events.slice(-2)).toMatchObject([
      { t: 'usage' },
      { t: 'error', fault: { code: 'stream_interrupted' } },
    ]);
  });

  it.each([
    [
      'an error event',
      sse(parts([{ text: 'x' }]), { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }),
    ],
    [
      'an error without framing',
      `${sse(parts([{ text: 'x' }]))}{"error": {"code": 503,\n"message": "overloaded", "status": "UNAVAILABLE"}}`,
    ],
    [
      'an error in a list',
      `${sse(parts([{ text: 'x' }]))}[{"error": {"code": 503,\r\n"message": "overloaded", "status": "UNAVAILABLE"}}\r\n]`,
    ],
  ])('ends with %s', (_name, text) => {
    for (const size of [Infinity, 1, 5]) {
      const events = decoded(text, size);
      expect(events.filter(({ t }) => t === 'text')).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({
        t: 'error',
        fault: { class: 'overloaded', status: 503, message: 'overloaded' },
      });
    }
  });

  it('reads a list of responses instead of events', () => {
    const text = JSON.stringify([
      parts([{ text: 'He' }]),
      parts([{ text: 'llo' }], { finishReason: 'STOP' }),
    ]);
    expect(fold(decoded(text, 3)).candidates[0]).toMatchObject({
      parts: [{ text: 'Hello' }],
      finish: { reason: 'stop' },
    });
  });

  it.each([
    ['half an event', sse(parts([{ text: 'x' }], { finishReason: 'STOP' })).slice(0, -12)],
    ['no finishReason', sse(parts([{ text: 'x' }]))],
    ['nothing', ''],
    ['a malformed call and nothing else', sse(parts([], { finishReason: 'MALFORMED_FUNCTION_CALL' }))],
    ['text that is no JSON', 'data: {nonsense\r\n\r\n'],
    ['a call in pieces', sse(parts([{ functionCall: { name: 'f', willContinue: true } }]))],
  ])('fails a stream with %s', (_name, text) => {
    const events = decoded(text);
    expect(events.at(-1)?.t).toBe('error');
    expect(events.some(({ t }) => t === 'done' || t === 'finish')).toBe(false);
  });

  it('bounds the blocks of a stream', () => {
    const many = Array.from({ length: 5_000 }, () => ({ functionCall: { name: 'f', args: {} } }));
    expect(decoded(sse(parts(many, { finishReason: 'STOP' }))).at(-1)?.t).toBe('error');
  });
});

describe('gemini streams for clients', () => {
  const events: StreamEvent[] = [
    { t: 'start', id: 'x', model: 'gpt-x', created: 1 },
    { t: 'open', c: 0, i: 0, part: { kind: 'reasoning', text: '' } },
    { t: 'text', c: 0, i: 0, text: 'hm' },
    { t: 'seal', c: 0, i: 0, seal: { by: 'anthropic', value: 'c2ln' } },
    { t: 'close', c: 0, i: 0 },
    { t: 'open', c: 0, i: 1, part: { kind: 'text', text: '' } },
    { t: 'text', c: 0, i: 1, text: 'a "b"\n' },
    { t: 'close', c: 0, i: 1 },
    { t: 'open', c: 0, i: 2, part: { kind: 'tool_call', id: 'c1', name: 'f', args: '' } },
    { t: 'args', c: 0, i: 2, json: '{"a"' },
    { t: 'args', c: 0, i: 2, json: ':1}' },
    { t: 'close', c: 0, i: 2 },
    { t: 'finish', c: 0, finish: { reason: 'tool_calls' } },
    {
      t: 'usage',
      usage: {
        input: 8,
        output: 5,
        cacheRead: 1,
        cacheWrite: 0,
        cacheWrite1h: 0,
        reasoning: 3,
        inputAudio: 0,
        outputAudio: 0,
        inputImage: 0,
        outputImage: 0,
        acceptedPrediction: 0,
        rejectedPrediction: 0,
      },
    },
    { t: 'done' },
  ];
  const signature = Buffer.from('gw1.anthropic.c2ln').toString('base64');
  const expected = {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'hm', thought: true, thoughtSignature: signature },
            { text: 'a "b"\n' },
            { functionCall: { id: 'c1', name: 'f', args: { a: 1 } } },
          ],
        },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: 8,
      candidatesTokenCount: 2,
      thoughtsTokenCount: 3,
      cachedContentTokenCount: 1,
      totalTokenCount: 13,
    },
    modelVersion: 'gpt-x',
    responseId: 'x',
  };

  const written = (listStream: boolean, list: readonly StreamEvent[] = events): string => {
    const encoder = geminiClient.encodeStream({ ...client, listStream });
    return list.map((event) => encoder.write([event]) + encoder.keepAlive).join('');
  };

  it('writes the same content as the unstreamed response', () => {
    expect(geminiClient.encodeResponse(fold(events), client)).toEqual(expected);
    expect(readStream('gemini', written(false)).folded).toEqual(expected);
  });

  it('writes one JSON list when the client did not send alt=sse', () => {
    const items = JSON.parse(written(true)) as JsonObject[];
    expect(readStream('gemini', sse(...items)).folded).toEqual(expected);
    expect(geminiClient.encodeStream({ ...client, listStream: true }).contentType).toBe('application/json');
  });

  it.each([false, true])('ends with the error and nothing after it (list: %s)', (listStream) => {
    const fault = { class: 'rate', message: 'slow "down"', status: 429 } as const;
    const text = written(listStream, [...events.slice(0, 7), { t: 'error', fault }, { t: 'done' }]);
    const items = listStream ? (JSON.parse(text) as JsonObject[]) : readStream('gemini', text).events;
    expect(items.at(-1)).toEqual({
      error: { code: 429, message: 'slow "down"', status: 'RESOURCE_EXHAUSTED', details: [] },
    });
    expect(items).toHaveLength(4);
  });

  it('writes a list even when there is nothing but an error', () => {
    const fault = { class: 'server', message: 'x', status: 502 } as const;
    expect(JSON.parse(written(true, [{ t: 'error', fault }]))).toHaveLength(1);
  });

  it('keeps arguments that are nested too deeply as text', () => {
    const args = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const deep: StreamEvent[] = [
      { t: 'open', c: 0, i: 0, part: { kind: 'tool_call', id: 'c', name: 'f', args: '' } },
      { t: 'args', c: 0, i: 0, json: args },
      { t: 'close', c: 0, i: 0 },
      { t: 'finish', c: 0, finish: { reason: 'tool_calls' } },
      { t: 'done' },
    ];
    expect(readStream('gemini', written(false, deep)).folded['candidates']).toMatchObject([
      { content: { parts: [{ functionCall: { args: { _raw: args } } }] } },
    ]);
    // The provider's own arguments must be an object, so the response is broken.
    const frame = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${args}}}]}}]}`;
    expect(decoded(`data: ${frame}\r\n\r\n`).at(-1)?.t).toBe('error');
    expect(refusal(() => whole(JSON.parse(frame) as JsonObject))).toBe('provider_answer_invalid');
  });

  it('keeps arguments that are not JSON as text and records the loss', () => {
    const note = jest.fn();
    const response: ModelResponse = {
      id: '',
      model: '',
      created: 1,
      candidates: [
        {
          index: 0,
          parts: [{ kind: 'tool_call', id: '', name: 'f', args: '{"a' }],
          finish: { reason: 'tool_calls' },
        },
      ],
    };
    expect(geminiClient.encodeResponse(response, { ...client, losses: { note } })).toEqual({
      candidates: [
        {
          content: { role: 'model', parts: [{ functionCall: { name: 'f', args: { _raw: '{"a' } } }] },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      modelVersion: 'm',
      responseId: 'req_1',
    });
    expect(note).toHaveBeenCalledWith('candidates.0.content.parts.0', 'approximated');
  });

  it('reads back the seal that it wrote, redacted ones too', () => {
    const seal = (thoughtSignature: unknown): unknown => {
      const contents = [
        { role: 'user', parts: [{ text: 'a' }] },
        { role: 'model', parts: [{ text: '', thought: true, thoughtSignature }] },
      ];
      const part = geminiClient.decodeCall({ contents }).turns[1]?.parts[0];
      return part?.kind === 'reasoning' ? part.seal : undefined;
    };
    for (const given of [
      { by: 'anthropic', value: 'c2ln' },
      { by: 'anthropic', value: 'ZGF0YQ==', redacted: true },
      { by: 'openai', value: 'gAAA.b_c-' },
      { by: 'google', value: 'c2ln' },
    ] as const) {
      const response: ModelResponse = {
        id: '',
        model: '',
        created: 1,
        candidates: [
          { index: 0, parts: [{ kind: 'reasoning', text: '', seal: given }], finish: { reason: 'stop' } },
        ],
      };
      const [candidate] = geminiClient.encodeResponse(response, client)['candidates'] as {
        content: { parts: JsonObject[] };
      }[];
      expect(seal(candidate?.content.parts[0]?.['thoughtSignature'])).toEqual(given);
    }
  });
});
