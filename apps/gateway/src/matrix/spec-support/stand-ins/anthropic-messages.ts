import type { History } from '../history';
import { anyObject, closed, count, either, filled, flag, list, objectSchema, only, text } from '../schema';
import { halvesOf, INPUT_TOKENS, OUTPUT_TOKENS, wordsOf, type Reply } from '../scenario';
import { bearer, namedEvents, type Body, type StandIn } from '../stand-in';
import { faultOfTurns } from '../turns';

const base64 = closed({ type: only('base64'), media_type: filled, data: filled });
const block = either(
  closed({ type: only('text'), text: filled }),
  closed({ type: only('image'), source: base64 }),
  closed({ type: only('document'), source: base64 }, { title: text }),
  closed({ type: only('tool_use'), id: filled, name: filled, input: anyObject }),
  closed(
    { type: only('tool_result'), tool_use_id: filled },
    {
      content: either(
        text,
        list(
          either(
            closed({ type: only('text'), text: filled }),
            closed({ type: only('image'), source: base64 }),
          ),
        ),
      ),
      is_error: flag,
    },
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
      closed({ name: filled, input_schema: objectSchema }, { description: text, strict: flag, type: text }),
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
      { format: closed({ type: only('json_schema'), schema: objectSchema }), effort: text },
    ),
    stream: flag,
  },
);

interface Block {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly tool_use_id: string;
  readonly content: unknown;
}

function history(body: Body): History {
  const messages = body['messages'] as readonly { readonly content: string | readonly Block[] }[];
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return {
    calls: blocks.filter(({ type }) => type === 'tool_use'),
    results: blocks.flatMap(({ type, tool_use_id: id, content }) =>
      type === 'tool_result' ? [{ id, result: content }] : [],
    ),
  };
}

const SEAL = 'c2VhbA==';
const stopOf = (calls: Reply['calls']): string => (calls.length > 0 ? 'tool_use' : 'end_turn');
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
    ...(reasoning === null ? [] : [{ type: 'thinking', thinking: reasoning, signature: SEAL }]),
    ...(value === null ? [] : [{ type: 'text', text: value }]),
    ...calls.map((call) => ({ type: 'tool_use', ...call })),
  ];
  return message(content, stopOf(calls));
}

/** A block of a stream with its deltas. */
const streamed = (content_block: object, deltas: readonly object[]) => (index: number) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];

function events({ text: value, reasoning, calls }: Reply) {
  const thoughts = wordsOf(reasoning).map((thinking) => ({ type: 'thinking_delta', thinking }));
  const words = wordsOf(value).map((word) => ({ type: 'text_delta', text: word }));
  const blocks = [
    ...(reasoning === null
      ? []
      : [
          streamed({ type: 'thinking', thinking: '', signature: '' }, [
            ...thoughts,
            { type: 'signature_delta', signature: SEAL },
          ]),
        ]),
    ...(value === null ? [] : [streamed({ type: 'text', text: '' }, words)]),
    ...calls.map(({ id, name, input }) =>
      streamed(
        { type: 'tool_use', id, name, input: {} },
        halvesOf(input).map((half) => ({ type: 'input_json_delta', partial_json: half })),
      ),
    ),
  ];
  return [
    { type: 'message_start', message: message([], null) },
    ...blocks.flatMap((block, index) => block(index)),
    {
      type: 'message_delta',
      delta: { stop_reason: stopOf(calls), stop_sequence: null },
      usage: { output_tokens: OUTPUT_TOKENS },
    },
    { type: 'message_stop' },
  ];
}

export const anthropicMessages: StandIn = {
  dialect: 'anthropic-messages',
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  configurations: (origin) => ({ custom_host: origin }),
  path: () => '/messages',
  request: REQUEST,
  lint: (body) => faultOfTurns(body['messages']),
  requested: { reasoning: ['thinking'], schema: ['output_config', 'format', 'schema'] },
  history,
  hasIds: true,
  isAuthorized: bearer('sk-anthropic-messages', 'x-api-key', 'sk-anthropic-messages'),
  reply: (reply) => (reply.streams ? namedEvents(events(reply), reply) : { body: whole(reply) }),
  error: { status: 429, body: { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } } },
};
