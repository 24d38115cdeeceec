import type { History } from '../history';
import { anyObject, closed, count, either, filled, flag, list, objectSchema, only, text } from '../schema';
import { INPUT_TOKENS, OUTPUT_TOKENS, wordsOf, type Reply, type ToolCall } from '../scenario';
import { bearer, framed, type Body, type StandIn } from '../stand-in';

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
        function: closed({ name: filled, parameters: objectSchema }, { description: text }),
      }),
    ),
    format: either(only('json'), objectSchema),
    options: closed({}, { num_predict: count }),
    think: either(flag, only('low', 'medium', 'high')),
    stream: flag,
  },
);

interface Message {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly {
    readonly function: { readonly name: string; readonly arguments: unknown };
  }[];
}

/** Results have the name of their tool, and the order of the calls. */
function history(body: Body): History {
  const messages = body['messages'] as readonly Message[];
  return {
    calls: messages.flatMap(({ tool_calls: calls = [] }) =>
      calls.map(({ function: { name, arguments: input } }) => ({ id: null, name, input })),
    ),
    results: messages.flatMap(({ role, content: result }) => (role === 'tool' ? [{ id: null, result }] : [])),
  };
}

const callOf = ({ name, input }: ToolCall) => ({ function: { name, arguments: input } });
const END = { done: true, prompt_eval_count: INPUT_TOKENS, eval_count: OUTPUT_TOKENS };
const HEAD = { model: 'm', created_at: '2026-11-26T10:00:00Z' };

function whole({ text: content, reasoning, calls }: Reply): object {
  const message_ = {
    role: 'assistant',
    content: content ?? '',
    ...(reasoning === null ? {} : { thinking: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
  };
  return { ...HEAD, message: message_, done_reason: 'stop', ...END };
}

const lines = ({ text: said, reasoning, calls }: Reply): string[] =>
  [
    ...wordsOf(reasoning).map((thinking) => ({ content: '', thinking })),
    ...wordsOf(said).map((content) => ({ content })),
    ...calls.map((called) => ({ content: '', tool_calls: [callOf(called)] })),
    { content: '' },
  ]
    .map((part): object => ({ ...HEAD, message: { role: 'assistant', ...part }, done: false }))
    .concat({ ...HEAD, message: { role: 'assistant', content: '' }, done_reason: 'stop', ...END })
    .map((line) => `${JSON.stringify(line)}\n`);

export const ollama: StandIn = {
  dialect: 'ollama',
  provider: 'ollama',
  model: 'llama3.2-vision',
  configurations: (origin) => ({ custom_host: `${origin}/api` }),
  path: () => '/api/chat',
  request: REQUEST,
  requested: { reasoning: ['think'], schema: ['format'] },
  history,
  hasIds: false,
  isAuthorized: bearer('sk-ollama'),
  reply: (reply) =>
    reply.streams ? framed(lines(reply), 'application/x-ndjson', reply) : { body: whole(reply) },
  error: { status: 429, body: { error: 'Slow down.' } },
};
