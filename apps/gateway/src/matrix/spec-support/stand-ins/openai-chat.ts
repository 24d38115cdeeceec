import type { History } from '../history';
import { closed, count, either, filled, flag, list, objectSchema, only, text } from '../schema';
import { halvesOf, INPUT_TOKENS, OUTPUT_TOKENS, wordsOf, type Reply, type ToolCall } from '../scenario';
import { bearer, dataEvents, type Body, type StandIn } from '../stand-in';

const part = either(
  closed({ type: only('text'), text: filled }),
  closed({ type: only('image_url'), image_url: closed({ url: filled }, { detail: text }) }),
  closed({ type: only('file'), file: closed({}, { file_data: filled, filename: text, file_id: text }) }),
);
const content = either(filled, list(part));
const call = closed({
  id: filled,
  type: only('function'),
  function: closed({ name: filled, arguments: text }),
});
const message = either(
  closed({ role: only('system', 'developer'), content }),
  closed({ role: only('user'), content }),
  closed({ role: only('assistant') }, { content: either(content, { type: 'null' }), tool_calls: list(call) }),
  closed({ role: only('tool'), tool_call_id: filled, content }),
);
const tool = closed({
  type: only('function'),
  function: closed({ name: filled }, { description: text, parameters: objectSchema, strict: flag }),
});
/** Body of `POST /chat/completions`. */
export const CHAT_REQUEST = closed(
  { model: filled, messages: list(message) },
  {
    tools: list(tool),
    tool_choice: only('auto', 'none', 'required'),
    parallel_tool_calls: flag,
    response_format: closed(
      { type: only('json_schema') },
      { json_schema: closed({ name: filled, schema: objectSchema }, { strict: flag, description: text }) },
    ),
    max_tokens: count,
    max_completion_tokens: count,
    reasoning_effort: only('none', 'minimal', 'low', 'medium', 'high', 'xhigh'),
    stream: flag,
    stream_options: closed({ include_usage: flag }),
    store: flag,
  },
);

interface Message {
  readonly role: string;
  readonly content: unknown;
  readonly tool_call_id: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

export function chatHistory(body: Body): History {
  const messages = body['messages'] as readonly Message[];
  return {
    calls: messages.flatMap(({ tool_calls: calls = [] }) =>
      calls.map(({ id, function: { name, arguments: input } }) => ({
        id,
        name,
        input: JSON.parse(input) as unknown,
      })),
    ),
    results: messages.flatMap(({ role, tool_call_id: id, content: result }) =>
      role === 'tool' ? [{ id, result }] : [],
    ),
  };
}

const USAGE = {
  prompt_tokens: INPUT_TOKENS,
  completion_tokens: OUTPUT_TOKENS,
  total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
};
const HEAD = { id: 'chatcmpl-1', created: 1, model: 'm' };
const callOf = ({ id, name, input }: ToolCall) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
});
const finishOf = ({ calls }: Reply): string => (calls.length > 0 ? 'tool_calls' : 'stop');

export function chatBody(reply: Reply) {
  const { text: content, reasoning, calls } = reply;
  const message = {
    role: 'assistant',
    content: content as unknown,
    ...(reasoning === null ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
  };
  return {
    ...HEAD,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: finishOf(reply), logprobs: null }],
    usage: USAGE,
  };
}

export const chatChunk = (delta: object, finish: string | null): object => ({
  ...HEAD,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

export function chatEvents(reply: Reply): object[] {
  const called = reply.calls.flatMap(({ id, name, input }, index) => [
    { index, id, type: 'function', function: { name, arguments: '' } },
    ...halvesOf(input).map((half) => ({ index, function: { arguments: half } })),
  ]);
  return [
    chatChunk({ role: 'assistant', content: '' }, null),
    ...wordsOf(reply.reasoning).map((thought) => chatChunk({ reasoning_content: thought }, null)),
    ...wordsOf(reply.text).map((content) => chatChunk({ content }, null)),
    ...called.map((piece) => chatChunk({ tool_calls: [piece] }, null)),
    chatChunk({}, finishOf(reply)),
    { ...HEAD, object: 'chat.completion.chunk', choices: [], usage: USAGE },
  ];
}

export const chatReply = (reply: Reply) =>
  reply.streams ? dataEvents(chatEvents(reply), reply, ['data: [DONE]\n\n']) : { body: chatBody(reply) };

export const openAiChat: StandIn = {
  dialect: 'openai-chat',
  provider: 'nebius',
  model: 'openai/gpt-oss-120b',
  configurations: (origin) => ({ custom_host: origin }),
  path: () => '/chat/completions',
  request: CHAT_REQUEST,
  requested: { reasoning: ['reasoning_effort'], schema: ['response_format', 'json_schema'] },
  history: chatHistory,
  hasIds: true,
  isAuthorized: bearer('sk-openai-chat'),
  reply: chatReply,
  error: {
    status: 429,
    body: { error: { message: 'Slow down.', type: 'requests', code: 'rate_limit_exceeded' } },
  },
};
