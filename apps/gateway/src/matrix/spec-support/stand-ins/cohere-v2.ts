import { closed, count, either, filled, flag, list, objectSchema, only, text } from '../schema';
import {
  halvesOf,
  INPUT_TOKENS,
  isReasoned,
  OUTPUT_TOKENS,
  wordsOf,
  type Reply,
  type ToolCall,
} from '../scenario';
import { bearer, namedEvents, type StandIn } from '../stand-in';
import { chatHistory } from './openai-chat';

const part = either(
  closed({ type: only('text'), text: filled }),
  closed({ type: only('image_url'), image_url: closed({ url: filled }, { detail: text }) }),
  closed({ type: only('thinking'), thinking: text }),
);
const content = either(filled, list(part));
const call = closed({
  id: filled,
  type: only('function'),
  function: closed({ name: filled, arguments: text }),
});
const message = either(
  closed({ role: only('system', 'user'), content }),
  closed({ role: only('assistant') }, { content, tool_calls: list(call), tool_plan: text }),
  closed({ role: only('tool'), tool_call_id: filled, content }),
);
const REQUEST = closed(
  { model: filled, messages: list(message) },
  {
    tools: list(
      closed({
        type: only('function'),
        function: closed({ name: filled, parameters: objectSchema }, { description: text }),
      }),
    ),
    tool_choice: only('REQUIRED', 'NONE'),
    strict_tools: flag,
    response_format: closed({ type: only('json_object') }, { json_schema: objectSchema }),
    thinking: closed({ type: only('enabled', 'disabled') }, { token_budget: count }),
    max_tokens: count,
    stream: flag,
  },
);

const USAGE = {
  billed_units: { input_tokens: INPUT_TOKENS, output_tokens: OUTPUT_TOKENS },
  tokens: { input_tokens: INPUT_TOKENS, output_tokens: OUTPUT_TOKENS },
};
const callOf = ({ id, name, input }: ToolCall) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
});

const finishOf = (calls: Reply['calls']): string => (calls.length > 0 ? 'TOOL_CALL' : 'COMPLETE');

function whole({ text: value, reasoning, calls }: Reply): object {
  const content_ = [
    ...(reasoning === null ? [] : [{ type: 'thinking', thinking: reasoning }]),
    ...(value === null ? [] : [{ type: 'text', text: value }]),
  ];
  return {
    id: 'c1',
    finish_reason: finishOf(calls),
    message: {
      role: 'assistant',
      ...(content_.length === 0 ? {} : { content: content_ }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
    },
    usage: USAGE,
  };
}

/** The events of one part of the content. */
const streamed = (type: 'text' | 'thinking', value: string | null) => (index: number) => [
  { type: 'content-start', index, delta: { message: { content: { type, [type]: '' } } } },
  ...wordsOf(value).map((word) => ({
    type: 'content-delta',
    index,
    delta: { message: { content: { [type]: word } } },
  })),
  { type: 'content-end', index },
];

const streamedCall = ({ id, name, input }: ToolCall) => {
  const start = { id, type: 'function', function: { name, arguments: '' } };
  return (index: number) => [
    { type: 'tool-call-start', index, delta: { message: { tool_calls: start } } },
    ...halvesOf(input).map((half) => ({
      type: 'tool-call-delta',
      index,
      delta: { message: { tool_calls: { function: { arguments: half } } } },
    })),
    { type: 'tool-call-end', index },
  ];
};

function events({ text: value, reasoning, calls }: Reply) {
  const parts = [
    ...(reasoning === null ? [] : [streamed('thinking', reasoning)]),
    ...(value === null ? [] : [streamed('text', value)]),
  ];
  return [
    { type: 'message-start', id: 'c1', delta: { message: { role: 'assistant' } } },
    ...parts.flatMap((part_, index) => part_(index)),
    ...calls.flatMap((called, index) => streamedCall(called)(index)),
    { type: 'message-end', delta: { finish_reason: finishOf(calls), usage: USAGE } },
  ];
}

export const cohereV2: StandIn = {
  dialect: 'cohere-v2',
  provider: 'cohere',
  model: (scenario) => (isReasoned(scenario) ? 'command-a-reasoning-08-2025' : 'command-a-vision-07-2025'),
  configurations: (origin) => ({ custom_host: origin }),
  path: () => '/v2/chat',
  request: REQUEST,
  requested: { reasoning: ['thinking'], schema: ['response_format', 'json_schema'] },
  history: chatHistory,
  hasIds: true,
  isAuthorized: bearer('sk-cohere-v2'),
  reply: (reply) => (reply.streams ? namedEvents(events(reply), reply) : { body: whole(reply) }),
  error: { status: 429, body: { message: 'Slow down.' } },
};
