import type { JsonObject } from '../../call';
import { framed } from '../framing';
import { responses } from './responses-streams';
import type { Cut, PlainModelPart, PlainResponse } from './plain';
import {
  anthropicStop,
  anthropicUsage,
  bedrockUsage,
  chatFinish,
  chatUsage,
  cohereFinish,
  cohereUsage,
  geminiPart,
  geminiUsage,
  ollamaCall,
  ollamaEnd,
  PROVIDER_RESPONSES,
} from './provider-responses';

/** Writes a `PlainResponse` as the parsed events of a stream. */
type Writer = (response: PlainResponse, cut: Cut) => JsonObject[];

const chatChunk = (response: PlainResponse, delta: JsonObject, finish: string | null = null): JsonObject => ({
  id: response.id,
  object: 'chat.completion.chunk',
  created: 1_700_000_001,
  model: 'model-1',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

/**
 * Returns a writer for a dialect that is similar to Chat Completions. `thinking` returns the delta
 * of a piece of reasoning.
 */
const chatLike =
  (thinking: (text: string) => JsonObject, sealed: (value: string) => JsonObject | null): Writer =>
  (response, cut) => {
    let calls = 0;
    const deltas = response.parts.flatMap((part): JsonObject[] => {
      switch (part.kind) {
        case 'text':
          return cut(part.text).map((content) => ({ content }));
        case 'reasoning': {
          const seal = part.seal === undefined ? null : sealed(part.seal.value);
          return [...cut(part.text).map(thinking), ...(seal === null ? [] : [seal])];
        }
        case 'call': {
          const index = calls;
          calls += 1;
          const { id, name, args } = part;
          return [
            { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
            ...cut(JSON.stringify(args)).map((json) => ({
              tool_calls: [{ index, function: { arguments: json } }],
            })),
          ];
        }
      }
    });
    return [
      chatChunk(response, { role: 'assistant', content: '' }),
      ...deltas.map((delta) => chatChunk(response, delta)),
      chatChunk(response, {}, chatFinish(response)),
      { ...chatChunk(response, {}), choices: [], usage: chatUsage(response.usage) },
    ];
  };

const chat = chatLike(
  (text) => ({ reasoning_content: text }),
  () => null,
);
const mistral = chatLike(
  (text) => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }),
  (signature) => ({ content: [{ type: 'thinking', thinking: [], signature }] }),
);

function anthropicEvents(part: PlainModelPart, index: number, cut: Cut): JsonObject[] {
  const start = (block: JsonObject): JsonObject => ({
    type: 'content_block_start',
    index,
    content_block: block,
  });
  const delta = (inner: JsonObject): JsonObject => ({ type: 'content_block_delta', index, delta: inner });
  const stop = { type: 'content_block_stop', index };
  switch (part.kind) {
    case 'text':
      return [
        start({ type: 'text', text: '' }),
        ...cut(part.text).map((text) => delta({ type: 'text_delta', text })),
        stop,
      ];
    case 'reasoning':
      return [
        start({ type: 'thinking', thinking: '', signature: '' }),
        ...cut(part.text).map((thinking) => delta({ type: 'thinking_delta', thinking })),
        ...(part.seal === undefined ? [] : [delta({ type: 'signature_delta', signature: part.seal.value })]),
        stop,
      ];
    case 'call':
      return [
        start({ type: 'tool_use', id: part.id, name: part.name, input: {} }),
        ...cut(JSON.stringify(part.args)).map((json) =>
          delta({ type: 'input_json_delta', partial_json: json }),
        ),
        stop,
      ];
  }
}

const anthropic: Writer = (response, cut) => [
  {
    type: 'message_start',
    message: {
      ...PROVIDER_RESPONSES['anthropic-messages']?.(response),
      content: [],
      stop_reason: null,
      usage: { ...anthropicUsage(response.usage), output_tokens: 1 },
    },
  },
  ...response.parts.flatMap((part, index) => anthropicEvents(part, index, cut)),
  {
    type: 'message_delta',
    delta: { stop_reason: anthropicStop(response), stop_sequence: null },
    usage: anthropicUsage(response.usage),
  },
  { type: 'message_stop' },
];

function bedrockEvents(part: PlainModelPart, contentBlockIndex: number, cut: Cut): JsonObject[] {
  const delta = (inner: JsonObject): JsonObject => ({
    event: 'contentBlockDelta',
    payload: { contentBlockIndex, delta: inner },
  });
  const stop = { event: 'contentBlockStop', payload: { contentBlockIndex } };
  switch (part.kind) {
    case 'text':
      return [...cut(part.text).map((text) => delta({ text })), stop];
    case 'reasoning':
      return [
        ...cut(part.text).map((text) => delta({ reasoningContent: { text } })),
        ...(part.seal === undefined ? [] : [delta({ reasoningContent: { signature: part.seal.value } })]),
        stop,
      ];
    case 'call': {
      const start = { toolUse: { toolUseId: part.id, name: part.name } };
      return [
        { event: 'contentBlockStart', payload: { contentBlockIndex, start } },
        ...cut(JSON.stringify(part.args)).map((input) => delta({ toolUse: { input } })),
        stop,
      ];
    }
  }
}

const bedrock: Writer = (response, cut) => [
  { event: 'messageStart', payload: { role: 'assistant' } },
  ...response.parts.flatMap((part, index) => bedrockEvents(part, index, cut)),
  { event: 'messageStop', payload: { stopReason: anthropicStop(response) } },
  { event: 'metadata', payload: { usage: bedrockUsage(response.usage), metrics: { latencyMs: 1 } } },
];

function cohereEvents(part: PlainModelPart, index: number, cut: Cut): JsonObject[] {
  const event = (type: string, message: JsonObject): JsonObject => ({ type, index, delta: { message } });
  if (part.kind === 'call') {
    const { id, name, args } = part;
    const call = { id, type: 'function', function: { name, arguments: '' } };
    return [
      event('tool-call-start', { tool_calls: call }),
      ...cut(JSON.stringify(args)).map((json) =>
        event('tool-call-delta', { tool_calls: { function: { arguments: json } } }),
      ),
      { type: 'tool-call-end', index },
    ];
  }
  const [type, name] = part.kind === 'text' ? ['text', 'text'] : ['thinking', 'thinking'];
  return [
    event('content-start', { content: { type, [name]: '' } }),
    ...cut(part.text).map((text) => event('content-delta', { content: { [name]: text } })),
    { type: 'content-end', index },
  ];
}

const cohere: Writer = (response, cut) => [
  { type: 'message-start', id: response.id, delta: { message: { role: 'assistant' } } },
  ...response.parts.flatMap((part, index) => cohereEvents(part, index, cut)),
  {
    type: 'message-end',
    delta: { finish_reason: cohereFinish(response), usage: cohereUsage(response.usage) },
  },
];

const gemini: Writer = (response, cut) => {
  const head = { responseId: response.id, modelVersion: 'model-1' };
  const event = (parts: readonly JsonObject[]): JsonObject => ({
    candidates: [{ index: 0, content: { role: 'model', parts } }],
    ...head,
  });
  const events = response.parts.flatMap((part) => {
    if (part.kind === 'call') return [event([geminiPart(part)])];
    const pieces = cut(part.text);
    return pieces.map((text, index) => {
      const { seal, ...rest } = { seal: undefined, ...part };
      const isLast = index === pieces.length - 1;
      return event([geminiPart({ ...rest, text, ...(isLast && seal !== undefined ? { seal } : {}) })]);
    });
  });
  return [
    ...events,
    {
      candidates: [
        {
          index: 0,
          content: { role: 'model', parts: [{ text: '' }] },
          finishReason: response.finish === 'length' ? 'MAX_TOKENS' : 'STOP',
        },
      ],
      ...head,
      usageMetadata: geminiUsage(response.usage),
    },
  ];
};

const ollama: Writer = (response, cut) => {
  const line = (message: JsonObject): JsonObject => ({
    model: 'model-1',
    created_at: '2026-11-01T00:00:00Z',
    message: { role: 'assistant', content: '', ...message },
    done: false,
  });
  return [
    ...response.parts.flatMap((part): JsonObject[] => {
      if (part.kind === 'call') return [line({ tool_calls: [ollamaCall(part)] })];
      const name = part.kind === 'text' ? 'content' : 'thinking';
      return cut(part.text).map((text) => line({ [name]: text }));
    }),
    { ...line({}), ...ollamaEnd(response) },
  ];
};

const PROVIDER_EVENTS: Readonly<Record<string, Writer>> = {
  'anthropic-messages': anthropic,
  'bedrock-converse': bedrock,
  'cohere-v2': cohere,
  gemini,
  mistral,
  ollama,
  'openai-chat': chat,
  'openai-responses': responses,
};

/** Writes a response as the parsed events of a provider's stream. */
export const providerEvents = (dialect: string, response: PlainResponse, cut: Cut): JsonObject[] =>
  PROVIDER_EVENTS[dialect]?.(response, cut) ?? [];

/** Writes a response as the bytes of a provider's stream. */
export const providerStream = (dialect: string, response: PlainResponse, cut: Cut): Buffer =>
  framed(dialect, providerEvents(dialect, response, cut), 'complete');
