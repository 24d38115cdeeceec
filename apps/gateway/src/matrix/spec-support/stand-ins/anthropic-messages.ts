import { anyObject, closed, count, either, filled, flag, list, only, text } from '../schema';
import { INPUT_TOKENS, OUTPUT_TOKENS, type Reply } from '../scenario';
import { bearer, namedEvents, type StandIn } from '../stand-in';

const base64 = closed({ type: only('base64'), media_type: filled, data: filled });
const block = either(
  closed({ type: only('text'), text: filled }),
  closed({ type: only('image'), source: base64 }),
  closed({ type: only('document'), source: base64 }, { title: text }),
  closed({ type: only('tool_use'), id: filled, name: filled, input: anyObject }),
  closed(
    { type: only('tool_result'), tool_use_id: filled },
    { content: either(text, list(anyObject)), is_error: flag },
  ),
  closed({ type: only('thinking'), thinking: text, signature: filled }),
);
const REQUEST = closed(
  {
    model: filled,
    max_tokens: count,
    messages: list(closed({ role: only('user', 'assistant'), content: either(filled, list(block)) })),
  },
  {
    system: either(filled, list(closed({ type: only('text'), text: filled }))),
    tools: list(
      closed({ name: filled, input_schema: anyObject }, { description: text, strict: flag, type: text }),
    ),
    tool_choice: closed(
      { type: only('auto', 'any', 'tool', 'none') },
      { name: text, disable_parallel_tool_use: flag },
    ),
    thinking: closed(
      { type: only('enabled', 'disabled', 'adaptive') },
      { budget_tokens: count, display: text },
    ),
    output_config: closed(
      {},
      { format: closed({ type: only('json_schema'), schema: anyObject }), effort: text },
    ),
    stream: flag,
  },
);

/** Turns alternate, and results follow their calls. */
function lint(body: Readonly<Record<string, unknown>>): string | null {
  const messages = body['messages'] as readonly { readonly role: string; readonly content: unknown }[];
  const doubled = messages.some(({ role }, at) => role === messages[at - 1]?.role);
  if (doubled) return 'two turns in a row have the same role';
  return messages[0]?.role === 'user' ? null : 'the first turn is not the user’s';
}

const message = (content: readonly object[], stop: string | null) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: { input_tokens: INPUT_TOKENS, output_tokens: stop === null ? 1 : OUTPUT_TOKENS },
});

function whole({ text: value, reasoning, calls }: Reply): object {
  const content = [
    ...(reasoning === null ? [] : [{ type: 'thinking', thinking: reasoning, signature: 'c2VhbA==' }]),
    ...(value === null ? [] : [{ type: 'text', text: value }]),
    ...calls.map((call) => ({ type: 'tool_use', ...call })),
  ];
  return message(content, calls.length > 0 ? 'tool_use' : 'end_turn');
}

const events = ({ text: value }: Reply) => [
  { type: 'message_start', message: message([], null) },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ...(value ?? '').split(/(?= )/).map((word) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: word },
  })),
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: OUTPUT_TOKENS },
  },
  { type: 'message_stop' },
];

export const anthropicMessages: StandIn = {
  dialect: 'anthropic-messages',
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  configurations: (origin) => ({ custom_host: origin }),
  path: () => '/messages',
  request: REQUEST,
  lint,
  isAuthorized: bearer('sk-anthropic-messages', 'x-api-key', 'sk-anthropic-messages'),
  reply: (reply) => (reply.streams ? namedEvents(events(reply), reply) : { body: whole(reply) }),
  error: { status: 429, body: { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } } },
};
