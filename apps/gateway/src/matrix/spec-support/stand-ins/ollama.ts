import { anyObject, closed, either, filled, flag, list, only, text } from '../schema';
import { INPUT_TOKENS, OUTPUT_TOKENS, type Reply } from '../scenario';
import { bearer, framed, type StandIn } from '../stand-in';

const call = closed(
  { function: closed({ name: filled, arguments: anyObject }, { index: { type: 'integer' } }) },
  { id: filled, type: text },
);
const message = closed(
  { role: only('system', 'user', 'assistant', 'tool'), content: text },
  { images: list(filled), tool_calls: list(call), tool_name: filled, tool_call_id: filled, thinking: text },
);
const REQUEST = closed(
  { model: filled, messages: list(message) },
  {
    tools: list(
      closed({
        type: only('function'),
        function: closed({ name: filled, parameters: anyObject }, { description: text }),
      }),
    ),
    format: either(only('json'), anyObject),
    options: anyObject,
    think: either(flag, only('low', 'medium', 'high')),
    stream: flag,
  },
);

const END = { done: true, prompt_eval_count: INPUT_TOKENS, eval_count: OUTPUT_TOKENS };
const HEAD = { model: 'm', created_at: '2026-11-26T10:00:00Z' };

function whole({ text: content, reasoning, calls }: Reply): object {
  const message_ = {
    role: 'assistant',
    content: content ?? '',
    ...(reasoning === null ? {} : { thinking: reasoning }),
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map(({ name, input }) => ({ function: { name, arguments: input } })) }),
  };
  return { ...HEAD, message: message_, done_reason: 'stop', ...END };
}

const lines = ({ text: content }: Reply): string[] =>
  [
    ...(content ?? '')
      .split(/(?= )/)
      .map((word) => ({ ...HEAD, message: { role: 'assistant', content: word }, done: false })),
    { ...HEAD, message: { role: 'assistant', content: '' }, done: false },
    { ...HEAD, message: { role: 'assistant', content: '' }, done_reason: 'stop', ...END },
  ].map((line) => `${JSON.stringify(line)}\n`);

export const ollama: StandIn = {
  dialect: 'ollama',
  provider: 'ollama',
  model: 'llama3.2-vision',
  configurations: (origin) => ({ custom_host: `${origin}/api` }),
  path: () => '/api/chat',
  request: REQUEST,
  isAuthorized: bearer('sk-ollama'),
  reply: (reply) =>
    reply.streams ? framed(lines(reply), 'application/x-ndjson', reply) : { body: whole(reply) },
  error: { status: 429, body: { error: 'Slow down.' } },
};
