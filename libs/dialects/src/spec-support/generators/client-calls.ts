import type { JsonObject, SealMaker } from '../../call';
import type { PlainConversation, PlainModelPart, PlainResult, PlainTurn, PlainUserPart } from './plain';

/** Writes conversations in the form of each client dialect. */

type Writer = (conversation: PlainConversation) => JsonObject;

const MODEL = 'm';
const url = (data: string): string => `data:image/png;base64,${data}`;
/** Returns the form in which the gateway gives a client the seal of another maker. */
const carried = (by: SealMaker, value: string): string => `gw1.${by}.${value}`;

function chatMessages(turn: PlainTurn): JsonObject[] {
  if (turn.role === 'user') {
    const content = turn.parts.map((part) =>
      part.kind === 'text'
        ? { type: 'text', text: part.text }
        : { type: 'image_url', image_url: { url: url(part.data) } },
    );
    return [
      ...turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })),
      ...(content.length === 0 ? [] : [{ role: 'user', content }]),
    ];
  }
  const content = turn.parts.flatMap((part) =>
    part.kind === 'text' ? [{ type: 'text', text: part.text }] : [],
  );
  const calls = turn.parts.flatMap((part) => (part.kind === 'call' ? [chatCall(part)] : []));
  const thinking = turn.parts.flatMap((part) => (part.kind === 'reasoning' ? [chatThinking(part)] : []));
  return [
    {
      role: 'assistant',
      content: content.length === 0 ? null : content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(thinking.length === 0 ? {} : { thinking_blocks: thinking }),
    },
  ];
}

const chatCall = ({ id, name, args, seal }: PlainModelPart & { kind: 'call' }): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
  ...(seal === undefined ? {} : { extra_content: { google: { thought_signature: seal } } }),
});

const chatThinking = ({ text, seal }: PlainModelPart & { kind: 'reasoning' }): JsonObject => ({
  type: 'thinking',
  thinking: text,
  ...(seal === undefined
    ? {}
    : { signature: seal.by === 'anthropic' ? seal.value : carried(seal.by, seal.value) }),
});

const chat: Writer = ({ system, turns, tools, stops, maxTokens, stream }) => ({
  model: MODEL,
  messages: [
    ...system.map((content) => ({ role: 'system', content })),
    ...turns.flatMap((turn) => chatMessages(turn)),
  ],
  max_completion_tokens: maxTokens,
  ...(stops.length === 0 ? {} : { stop: stops }),
  ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  ...(tools.length === 0
    ? {}
    : {
        tools: tools.map(({ name, description, schema }) => ({
          type: 'function',
          function: { name, ...(description === undefined ? {} : { description }), parameters: schema },
        })),
      }),
});

const anthropicSeal = (by: SealMaker, value: string): string =>
  by === 'anthropic' ? value : by === 'google' ? `g1.${value}` : carried(by, value);

function anthropicModelBlocks(part: PlainModelPart): JsonObject[] {
  switch (part.kind) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'reasoning':
      return [
        {
          type: 'thinking',
          thinking: part.text,
          signature: part.seal === undefined ? '' : anthropicSeal(part.seal.by, part.seal.value),
        },
      ];
    case 'call': {
      const use = { type: 'tool_use', id: part.id, name: part.name, input: part.args };
      const { seal } = part;
      return seal === undefined ? [use] : [{ type: 'thinking', thinking: '', signature: `g1.${seal}` }, use];
    }
  }
}

const anthropicResult = ({ id, text }: PlainResult): JsonObject => ({
  type: 'tool_result',
  tool_use_id: id,
  content: text,
});

const anthropicUserBlock = (part: PlainUserPart): JsonObject =>
  part.kind === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image', source: { type: 'base64', media_type: 'image/png', data: part.data } };

const anthropicMessage = (turn: PlainTurn): JsonObject => ({
  role: turn.role,
  content:
    turn.role === 'user'
      ? [...turn.results.map(anthropicResult), ...turn.parts.map(anthropicUserBlock)]
      : turn.parts.flatMap(anthropicModelBlocks),
});

const anthropic: Writer = ({ system, turns, tools, stops, maxTokens, stream }) => ({
  model: MODEL,
  max_tokens: maxTokens,
  messages: turns.map(anthropicMessage),
  ...(system.length === 0 ? {} : { system: system.map((text) => ({ type: 'text', text })) }),
  ...(stops.length === 0 ? {} : { stop_sequences: stops }),
  ...(stream ? { stream } : {}),
  ...(tools.length === 0
    ? {}
    : { tools: tools.map(({ schema, ...tool }) => ({ ...tool, input_schema: schema })) }),
});

function geminiModelPart(part: PlainModelPart): JsonObject {
  switch (part.kind) {
    case 'text':
      return { text: part.text };
    case 'reasoning': {
      const { text, seal } = part;
      if (seal === undefined) return { text, thought: true };
      const isOwn = seal.by === 'google';
      const value = isOwn ? seal.value : Buffer.from(carried(seal.by, seal.value)).toString('base64');
      return { text, thought: true, thoughtSignature: value };
    }
    case 'call': {
      const { id, name, args, seal } = part;
      return { functionCall: { id, name, args }, ...(seal === undefined ? {} : { thoughtSignature: seal }) };
    }
  }
}

const geminiContent = (turn: PlainTurn): JsonObject => ({
  role: turn.role === 'user' ? 'user' : 'model',
  parts:
    turn.role === 'assistant'
      ? turn.parts.map(geminiModelPart)
      : [
          ...turn.results.map(({ id, name, text }) => ({
            functionResponse: { id, name, response: { output: text } },
          })),
          ...turn.parts.map((part) =>
            part.kind === 'text'
              ? { text: part.text }
              : { inlineData: { mimeType: 'image/png', data: part.data } },
          ),
        ],
});

const gemini: Writer = ({ system, turns, tools, stops, maxTokens }) => ({
  contents: turns.map(geminiContent),
  generationConfig: { maxOutputTokens: maxTokens, ...(stops.length === 0 ? {} : { stopSequences: stops }) },
  ...(system.length === 0 ? {} : { systemInstruction: { parts: system.map((text) => ({ text })) } }),
  ...(tools.length === 0
    ? {}
    : {
        tools: [
          {
            functionDeclarations: tools.map(({ schema, ...tool }) => ({
              ...tool,
              parametersJsonSchema: schema,
            })),
          },
        ],
      }),
});

function responsesItem(part: PlainModelPart): JsonObject {
  switch (part.kind) {
    case 'text':
      return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: part.text }] };
    case 'reasoning': {
      const { text, seal } = part;
      const value =
        seal === undefined ? undefined : seal.by === 'openai' ? seal.value : carried(seal.by, seal.value);
      return {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text }],
        ...(value === undefined ? {} : { encrypted_content: value }),
      };
    }
    case 'call':
      return {
        type: 'function_call',
        call_id: part.id,
        name: part.name,
        arguments: JSON.stringify(part.args),
      };
  }
}

function responsesItems(turn: PlainTurn): JsonObject[] {
  if (turn.role === 'assistant') {
    return turn.parts.flatMap((part): JsonObject[] =>
      part.kind === 'call' && part.seal !== undefined
        ? [
            { type: 'reasoning', summary: [], encrypted_content: carried('google', part.seal) },
            responsesItem(part),
          ]
        : [responsesItem(part)],
    );
  }
  const content = turn.parts.map((part) =>
    part.kind === 'text'
      ? { type: 'input_text', text: part.text }
      : { type: 'input_image', image_url: url(part.data) },
  );
  return [
    ...turn.results.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text })),
    ...(content.length === 0 ? [] : [{ type: 'message', role: 'user', content }]),
  ];
}

/** The Responses API has no stop sequences. */
const responses: Writer = ({ system, turns, tools, maxTokens, stream }) => ({
  model: MODEL,
  input: [
    ...system.map((text) => ({ role: 'system', content: [{ type: 'input_text', text }] })),
    ...turns.flatMap((turn) => responsesItems(turn)),
  ],
  max_output_tokens: maxTokens,
  store: false,
  ...(stream ? { stream } : {}),
  ...(tools.length === 0
    ? {}
    : {
        tools: tools.map(({ schema, ...tool }) => ({
          type: 'function',
          ...tool,
          parameters: schema,
          strict: false,
        })),
      }),
});

/** Writers of conversations by the dialect of the client. */
export const CLIENT_CALLS: Readonly<Record<string, Writer>> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': anthropic,
  gemini,
};
