import type { JsonObject } from '../../call';
import type { PlainModelPart, PlainResponse, PlainUsage } from './plain';

/** Writes responses in the form of each provider dialect. */

type Writer = (response: PlainResponse) => JsonObject;

const MODEL = 'model-1';

const hasCalls = ({ parts }: PlainResponse): boolean => parts.some(({ kind }) => kind === 'call');
const textOf = (parts: readonly PlainModelPart[], kind: 'text' | 'reasoning'): string =>
  parts.map((part) => (part.kind === kind ? part.text : '')).join('');
export const callsOf = ({ parts }: Pick<PlainResponse, 'parts'>): (PlainModelPart & { kind: 'call' })[] =>
  parts.filter((part) => part.kind === 'call');

export const chatUsage = ({ input, cacheRead, output, reasoning }: PlainUsage): JsonObject => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cacheRead },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

export const chatFinish = (response: PlainResponse): string =>
  response.finish === 'length' ? 'length' : hasCalls(response) ? 'tool_calls' : 'stop';

const chat: Writer = (response) => {
  const { parts, id, usage } = response;
  const calls = callsOf(response).map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  }));
  return {
    id,
    object: 'chat.completion',
    created: 1_700_000_001,
    model: MODEL,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: textOf(parts, 'text'),
          reasoning_content: textOf(parts, 'reasoning'),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        finish_reason: chatFinish(response),
      },
    ],
    usage: chatUsage(usage),
  };
};

const mistral: Writer = (response) => {
  const base = chat(response);
  const [choice] = base['choices'] as [JsonObject];
  const message = choice['message'] as JsonObject;
  const content = response.parts.flatMap((part) => mistralChunks(part));
  const { reasoning_content: _unused, ...rest } = message;
  return { ...base, choices: [{ ...choice, message: { ...rest, content } }] };
};

export function mistralChunks(part: PlainModelPart): JsonObject[] {
  if (part.kind === 'text') return [{ type: 'text', text: part.text }];
  if (part.kind === 'call') return [];
  const thinking = [{ type: 'text', text: part.text }];
  return [{ type: 'thinking', thinking, ...(part.seal === undefined ? {} : { signature: part.seal.value }) }];
}

export const anthropicUsage = ({ input, cacheRead, output, reasoning }: PlainUsage): JsonObject => ({
  input_tokens: input - cacheRead,
  cache_read_input_tokens: cacheRead,
  cache_creation_input_tokens: 0,
  output_tokens: output,
  output_tokens_details: { thinking_tokens: reasoning },
});

export const anthropicStop = (response: PlainResponse): string =>
  response.finish === 'length' ? 'max_tokens' : hasCalls(response) ? 'tool_use' : 'end_turn';

export function anthropicBlock(part: PlainModelPart): JsonObject {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'reasoning':
      return { type: 'thinking', thinking: part.text, signature: part.seal?.value ?? '' };
    case 'call':
      return { type: 'tool_use', id: part.id, name: part.name, input: part.args };
  }
}

const anthropic: Writer = (response) => ({
  id: response.id,
  type: 'message',
  role: 'assistant',
  model: MODEL,
  content: response.parts.map(anthropicBlock),
  stop_reason: anthropicStop(response),
  stop_sequence: null,
  usage: anthropicUsage(response.usage),
});

export function bedrockBlock(part: PlainModelPart): JsonObject {
  switch (part.kind) {
    case 'text':
      return { text: part.text };
    case 'reasoning':
      return {
        reasoningContent: {
          reasoningText: {
            text: part.text,
            ...(part.seal === undefined ? {} : { signature: part.seal.value }),
          },
        },
      };
    case 'call':
      return { toolUse: { toolUseId: part.id, name: part.name, input: part.args } };
  }
}

export const bedrockUsage = ({ input, cacheRead, output }: PlainUsage): JsonObject => ({
  inputTokens: input - cacheRead,
  cacheReadInputTokens: cacheRead,
  cacheWriteInputTokens: 0,
  outputTokens: output,
  totalTokens: input + output,
});

const bedrock: Writer = (response) => ({
  output: { message: { role: 'assistant', content: response.parts.map(bedrockBlock) } },
  stopReason: anthropicStop(response),
  usage: bedrockUsage(response.usage),
});

const cohere: Writer = (response) => ({
  id: response.id,
  message: {
    role: 'assistant',
    content: response.parts.flatMap((part): JsonObject[] =>
      part.kind === 'text'
        ? [{ type: 'text', text: part.text }]
        : part.kind === 'reasoning'
          ? [{ type: 'thinking', thinking: part.text }]
          : [],
    ),
    tool_calls: callsOf(response).map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.args) },
    })),
  },
  finish_reason: cohereFinish(response),
  usage: cohereUsage(response.usage),
});

export const cohereFinish = (response: PlainResponse): string =>
  response.finish === 'length' ? 'MAX_TOKENS' : hasCalls(response) ? 'TOOL_CALL' : 'COMPLETE';
export const cohereUsage = ({ input, output, cacheRead }: PlainUsage): JsonObject => ({
  tokens: { input_tokens: input, output_tokens: output },
  billed_units: { input_tokens: input, output_tokens: output },
  cached_tokens: cacheRead,
});

export function geminiPart(part: PlainModelPart): JsonObject {
  switch (part.kind) {
    case 'text':
      return { text: part.text };
    case 'reasoning': {
      const { text, seal } = part;
      return { text, thought: true, ...(seal === undefined ? {} : { thoughtSignature: seal.value }) };
    }
    case 'call': {
      const { id, name, args, seal } = part;
      return { functionCall: { id, name, args }, ...(seal === undefined ? {} : { thoughtSignature: seal }) };
    }
  }
}

export const geminiUsage = ({ input, cacheRead, output, reasoning }: PlainUsage): JsonObject => ({
  promptTokenCount: input,
  cachedContentTokenCount: cacheRead,
  candidatesTokenCount: output - reasoning,
  thoughtsTokenCount: reasoning,
  totalTokenCount: input + output,
});

const gemini: Writer = (response) => ({
  candidates: [
    {
      index: 0,
      content: { role: 'model', parts: response.parts.map(geminiPart) },
      finishReason: response.finish === 'length' ? 'MAX_TOKENS' : 'STOP',
    },
  ],
  responseId: response.id,
  modelVersion: MODEL,
  usageMetadata: geminiUsage(response.usage),
});

const ollama: Writer = (response) => ({
  model: MODEL,
  created_at: '2026-11-01T00:00:00Z',
  message: {
    role: 'assistant',
    content: textOf(response.parts, 'text'),
    thinking: textOf(response.parts, 'reasoning'),
    tool_calls: callsOf(response).map(ollamaCall),
  },
  ...ollamaEnd(response),
});

export const ollamaCall = ({ id, name, args }: PlainModelPart & { kind: 'call' }): JsonObject => ({
  id,
  function: { name, arguments: args },
});
export const ollamaEnd = ({ finish, usage }: PlainResponse): JsonObject => ({
  done: true,
  done_reason: finish,
  prompt_eval_count: usage.input,
  eval_count: usage.output,
});

export function responsesOutput(part: PlainModelPart, index: number): JsonObject {
  const id = `item_${String(index)}`;
  switch (part.kind) {
    case 'text':
      return {
        id,
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: part.text, annotations: [] }],
      };
    case 'reasoning':
      return {
        id,
        type: 'reasoning',
        summary: part.text === '' ? [] : [{ type: 'summary_text', text: part.text }],
        ...(part.seal === undefined ? {} : { encrypted_content: part.seal.value }),
      };
    case 'call':
      return {
        id,
        type: 'function_call',
        call_id: part.id,
        name: part.name,
        arguments: JSON.stringify(part.args),
        status: 'completed',
      };
  }
}

const responses: Writer = ({ id, parts, finish, usage }) => ({
  id,
  object: 'response',
  created_at: 1_700_000_001,
  model: MODEL,
  status: finish === 'length' ? 'incomplete' : 'completed',
  incomplete_details: finish === 'length' ? { reason: 'max_output_tokens' } : null,
  output: parts.map(responsesOutput),
  usage: {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  },
});

/** Writers of responses by the dialect of the provider. */
export const PROVIDER_RESPONSES: Readonly<Record<string, Writer>> = {
  'anthropic-messages': anthropic,
  'bedrock-converse': bedrock,
  'cohere-v2': cohere,
  gemini,
  mistral,
  ollama,
  'openai-chat': chat,
  'openai-responses': responses,
};
