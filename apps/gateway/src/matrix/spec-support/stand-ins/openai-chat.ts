import { anyObject, closed, count, either, filled, flag, list, only, text } from '../schema';
import { INPUT_TOKENS, OUTPUT_TOKENS, type Reply, type ToolCall } from '../scenario';
import { bearer, dataEvents, type StandIn } from '../stand-in';

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
  function: closed({ name: filled }, { description: text, parameters: anyObject, strict: flag }),
});
/** Body of `POST /chat/completions`. */
export const CHAT_REQUEST = closed(
  { model: filled, messages: list(message) },
  {
    tools: list(tool),
    tool_choice: either(only('auto', 'none', 'required'), anyObject),
    parallel_tool_calls: flag,
    response_format: closed(
      { type: only('json_schema') },
      { json_schema: closed({ name: filled, schema: anyObject }, { strict: flag, description: text }) },
    ),
    max_tokens: count,
    max_completion_tokens: count,
    reasoning_effort: only('none', 'minimal', 'low', 'medium', 'high', 'xhigh'),
    stream: flag,
    stream_options: closed({ include_usage: flag }),
    store: flag,
  },
);

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

function whole(reply: Reply): object {
  const { text: content, reasoning, calls } = reply;
  const message = {
    role: 'assistant',
    content,
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

function events(reply: Reply): object[] {
  const chunk = (delta: object, finish: string | null): object => ({
    ...HEAD,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const words = reply.text?.split(/(?= )/) ?? [];
  return [
    chunk({ role: 'assistant', content: '' }, null),
    ...words.map((content) => chunk({ content }, null)),
    chunk({}, finishOf(reply)),
    { ...HEAD, object: 'chat.completion.chunk', choices: [], usage: USAGE },
  ];
}

export const chatReply = (reply: Reply) =>
  reply.streams ? dataEvents(events(reply), reply, ['data: [DONE]\n\n']) : { body: whole(reply) };

export const openAiChat: StandIn = {
  dialect: 'openai-chat',
  provider: 'nebius',
  model: 'openai/gpt-oss-120b',
  configurations: (origin) => ({ custom_host: origin }),
  path: () => '/chat/completions',
  request: CHAT_REQUEST,
  isAuthorized: bearer('sk-openai-chat'),
  reply: chatReply,
  error: {
    status: 429,
    body: { error: { message: 'Slow down.', type: 'requests', code: 'rate_limit_exceeded' } },
  },
};
