import {
  GoogleGenAI,
  FunctionCallingConfigMode,
  ThinkingLevel,
  Type,
  type GenerateContentResponse,
} from '@google/genai';
import type { JsonObject, ModelCall } from '../call';
import type { ClientContext } from '../codec';
import { LossLedger } from '../losses';
import { NO_TOKENS, type StreamEvent } from '../response';
import { fold } from '../stream/fold';
import { targetOf } from '../target';
import { geminiClient, geminiProvider } from './index';

/** Events of a response with thoughts, text, two calls and usage. */
const EVENTS: readonly StreamEvent[] = [
  { t: 'start', id: 'x', model: 'claude', created: 1 },
  { t: 'open', c: 0, i: 0, part: { kind: 'reasoning', text: '' } },
  { t: 'text', c: 0, i: 0, text: 'h' },
  { t: 'text', c: 0, i: 0, text: 'm' },
  { t: 'seal', c: 0, i: 0, seal: { by: 'anthropic', value: 'c2ln' } },
  { t: 'close', c: 0, i: 0 },
  { t: 'open', c: 0, i: 1, part: { kind: 'text', text: '' } },
  { t: 'text', c: 0, i: 1, text: 'Look' },
  { t: 'text', c: 0, i: 1, text: 'ing.' },
  { t: 'close', c: 0, i: 1 },
  { t: 'open', c: 0, i: 2, part: { kind: 'tool_call', id: 'toolu_1', name: 'f', args: '' } },
  { t: 'args', c: 0, i: 2, json: '{"city":"Oslo"}' },
  { t: 'close', c: 0, i: 2 },
  { t: 'finish', c: 0, finish: { reason: 'tool_calls' } },
  { t: 'usage', usage: { ...NO_TOKENS, input: 8, output: 5, reasoning: 2 } },
  { t: 'done' },
];

interface Exchange {
  readonly path: string;
  readonly body: JsonObject;
  readonly call: ModelCall;
}

/** Serves the SDK's requests like the gateway, and records the requests. */
class Served {
  readonly exchanges: Exchange[] = [];
  readonly fetch: typeof fetch;

  constructor(events: readonly StreamEvent[]) {
    this.fetch = (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const body = JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as JsonObject;
      const isStream = url.pathname.endsWith(':streamGenerateContent');
      const model = /models\/([^:]+):/.exec(url.pathname)?.[1] ?? '';
      const call = geminiClient.decodeCall(body, { model, stream: isStream });
      this.exchanges.push({ path: url.pathname + url.search, body, call });
      const context: ClientContext = {
        call,
        request: body,
        provider: 'anthropic',
        model,
        requestId: 'req_1',
        createdAt: 1,
      };
      if (!isStream)
        return Promise.resolve(Response.json(geminiClient.encodeResponse(fold(events), context)));
      const encoder = geminiClient.encodeStream(context);
      const text = events.map((event) => encoder.keepAlive + encoder.write([event])).join('');
      return Promise.resolve(new Response(text, { headers: { 'content-type': encoder.contentType } }));
    };
  }
}

const realFetch = globalThis.fetch;
// The SDK logs warnings about calls next to text.
beforeEach(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => {
  globalThis.fetch = realFetch;
  jest.restoreAllMocks();
});

function connected(events: readonly StreamEvent[] = EVENTS): { ai: GoogleGenAI; served: Served } {
  const served = new Served(events);
  globalThis.fetch = served.fetch;
  return { ai: new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: 'http://gateway.example' } }), served };
}

const thoughts = (response: GenerateContentResponse): string =>
  (response.candidates?.[0]?.content?.parts ?? [])
    .map(({ thought, text }) => (thought === true ? (text ?? '') : ''))
    .join('');

describe("Google's SDK as the client", () => {
  it('reads a whole response', async () => {
    const { ai } = connected();
    const response = await ai.models.generateContent({ model: 'gemini-x', contents: 'Hi' });
    expect(response.text).toBe('Looking.');
    expect(thoughts(response)).toBe('hm');
    expect(response.functionCalls).toEqual([{ id: 'toolu_1', name: 'f', args: { city: 'Oslo' } }]);
    expect(response.candidates?.[0]?.finishReason).toBe('STOP');
    expect(response.usageMetadata).toMatchObject({
      promptTokenCount: 8,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 2,
      totalTokenCount: 13,
    });
  });

  it('reads a stream and sends the whole turn back, with its seal', async () => {
    const { ai, served } = connected();
    const chat = ai.chats.create({ model: 'gemini-x' });
    let text = '';
    const calls: unknown[] = [];
    for await (const chunk of await chat.sendMessageStream({ message: 'w' })) {
      text += chunk.text ?? '';
      calls.push(...(chunk.functionCalls ?? []));
    }
    expect(text).toBe('Looking.');
    expect(calls).toHaveLength(1);
    await chat.sendMessage({
      message: { functionResponse: { id: 'toolu_1', name: 'f', response: { output: '3' } } },
    });
    expect(served.exchanges[0]?.path).toBe('/v1beta/models/gemini-x:streamGenerateContent?alt=sse');
    expect(served.exchanges[1]?.call.turns).toMatchObject([
      { role: 'user', parts: [{ kind: 'text', text: 'w' }] },
      {
        role: 'assistant',
        parts: [
          { kind: 'reasoning', text: 'hm', seal: { by: 'anthropic', value: 'c2ln' } },
          { kind: 'text', text: 'Look' },
          { kind: 'text', text: 'ing.' },
          { kind: 'tool_call', id: 'toolu_1', name: 'f', args: '{"city":"Oslo"}' },
        ],
      },
      { role: 'user', parts: [{ kind: 'tool_result', callId: 'toolu_1', parts: [{ text: '3' }] }] },
    ]);
  });

  it('throws for an error inside a stream', async () => {
    const fault = { class: 'overloaded', message: 'busy', status: 503 } as const;
    const { ai } = connected([...EVENTS.slice(0, 8), { t: 'error', fault }]);
    const stream = await ai.models.generateContentStream({ model: 'gemini-x', contents: 'Hi' });
    await expect(
      (async () => {
        for await (const chunk of stream) expect(chunk).toBeDefined();
      })(),
    ).rejects.toThrow(/busy/);
  });

  it('sends requests that keep their meaning', async () => {
    const { ai, served } = connected();
    await ai.models.generateContent({
      model: 'gemini-x',
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
      ],
      config: {
        systemInstruction: 'S',
        temperature: 0,
        maxOutputTokens: 5,
        stopSequences: ['x'],
        responseMimeType: 'application/json',
        responseSchema: { type: Type.OBJECT, properties: { a: { type: Type.STRING, nullable: true } } },
        thinkingConfig: { thinkingLevel: ThinkingLevel.LOW, includeThoughts: true },
        tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object' } }] }],
        toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
      },
    });
    const [exchange] = served.exchanges;
    expect(exchange?.call).toMatchObject({
      system: [{ text: 'S' }],
      temperature: 0,
      maxTokens: 5,
      stop: ['x'],
      output: { kind: 'schema', schema: { type: 'object', properties: { a: { type: ['string', 'null'] } } } },
      reasoning: { effort: 'low', summary: 'auto' },
      tools: [{ kind: 'function', name: 'f', schema: { type: 'object' } }],
      toolChoice: { mode: 'required' },
    });
    const target = targetOf({ provider: 'google', dialect: 'gemini', model: 'gemini-3-flash-preview' });
    const losses = new LossLedger('strict', target);
    const { systemInstruction, ...sent } = exchange?.body ?? {};
    const body = geminiProvider.encodeCall(exchange?.call as ModelCall, target, losses).body;
    expect(JSON.parse(JSON.stringify(body))).toMatchObject(sent);
    expect(systemInstruction).toMatchObject({ parts: [{ text: 'S' }] });
    expect(losses.losses).toEqual([]);
  });
});
