import type { History } from '../history';
import { anyObject, closed, count, either, filled, flag, list, objectSchema, only, text } from '../schema';
import { halvesOf, INPUT_TOKENS, OUTPUT_TOKENS, wordsOf, type Reply, type ToolCall } from '../scenario';
import { bearer, namedEvents, type Body, type StandIn } from '../stand-in';

const input = either(
  closed({ type: only('input_text'), text: filled }),
  closed({ type: only('input_image'), image_url: filled }, { detail: text }),
  closed({ type: only('input_file'), file_data: filled }, { filename: text }),
);
const output = closed(
  { type: only('output_text'), text: filled },
  { annotations: list(anyObject, 0), logprobs: list(anyObject, 0) },
);
const item = either(
  closed(
    { role: only('user', 'system', 'developer'), content: either(filled, list(input)) },
    { type: only('message') },
  ),
  closed(
    { role: only('assistant'), content: either(filled, list(output)) },
    { type: only('message'), id: filled, status: text },
  ),
  closed(
    { type: only('function_call'), call_id: filled, name: filled, arguments: text },
    { id: filled, status: text },
  ),
  closed(
    { type: only('function_call_output'), call_id: filled, output: either(text, list(input)) },
    { id: filled, status: text },
  ),
  closed(
    { type: only('reasoning'), summary: list(anyObject, 0) },
    { id: filled, encrypted_content: text, content: list(anyObject, 0), status: text },
  ),
);
const REQUEST = closed(
  { model: filled, input: either(filled, list(item)) },
  {
    instructions: text,
    tools: list(
      closed(
        { type: only('function'), name: filled },
        {
          description: text,
          parameters: objectSchema,
          strict: either(flag, { type: 'null' }),
        },
      ),
    ),
    tool_choice: only('auto', 'none', 'required'),
    parallel_tool_calls: flag,
    text: closed(
      {},
      {
        format: closed(
          { type: only('json_schema'), name: filled, schema: objectSchema },
          { strict: either(flag, { type: 'null' }), description: text },
        ),
        verbosity: text,
      },
    ),
    reasoning: closed(
      {},
      {
        effort: only('none', 'minimal', 'low', 'medium', 'high', 'xhigh'),
        summary: only('auto', 'concise', 'detailed'),
      },
    ),
    include: list(only('reasoning.encrypted_content')),
    max_output_tokens: count,
    store: flag,
    stream: flag,
  },
);

interface Item {
  readonly type?: string;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  readonly output: unknown;
}

function history(body: Body): History {
  const items = body['input'] as readonly Item[];
  return {
    calls: items.flatMap(({ type, call_id: id, name, arguments: given }) =>
      type === 'function_call' ? [{ id, name, input: JSON.parse(given) as unknown }] : [],
    ),
    results: items.flatMap(({ type, call_id: id, output: result }) =>
      type === 'function_call_output' ? [{ id, result }] : [],
    ),
  };
}

const USAGE = {
  input_tokens: INPUT_TOKENS,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: OUTPUT_TOKENS,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
};
/** An event of a stream. */
interface Event {
  readonly type: string;
  readonly [member: string]: unknown;
}

const summaryPart = (value: string) => ({ type: 'summary_text', text: value });
const textPart = (value: string) => ({ type: 'output_text', text: value, annotations: [], logprobs: [] });
const messageOf = (value: string, status = 'completed') => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status,
  content: status === 'completed' ? [textPart(value)] : [],
});
const responseOf = (items: readonly object[], status = 'completed') => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  output: items,
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  usage: status === 'completed' ? USAGE : null,
});

const reasoningOf = (value: string) => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: value === '' ? [] : [summaryPart(value)],
});
const callOf = ({ id, name, input: given }: ToolCall, status = 'completed') => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: status === 'completed' ? JSON.stringify(given) : '',
  status,
});

const itemsOf = ({ text: value, reasoning, calls }: Reply): object[] => [
  ...(reasoning === null ? [] : [reasoningOf(reasoning)]),
  ...(value === null ? [] : [messageOf(value)]),
  ...calls.map((called) => callOf(called)),
];

/** The events of one item, between its announcement and its end. */
const streamed =
  (begun: object, whole: object, events: (output_index: number) => readonly Event[]) =>
  (output_index: number): Event[] => [
    { type: 'response.output_item.added', output_index, item: begun },
    ...events(output_index),
    { type: 'response.output_item.done', output_index, item: whole },
  ];

const streamedReasoning = (value: string) =>
  streamed(reasoningOf(''), reasoningOf(value), (output_index) => {
    const at = { item_id: 'rs_1', output_index, summary_index: 0 };
    return [
      { type: 'response.reasoning_summary_part.added', ...at, part: summaryPart('') },
      ...wordsOf(value).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
      { type: 'response.reasoning_summary_text.done', ...at, text: value },
      { type: 'response.reasoning_summary_part.done', ...at, part: summaryPart(value) },
    ];
  });

const streamedText = (value: string) =>
  streamed(messageOf(value, 'in_progress'), messageOf(value), (output_index) => {
    const at = { item_id: 'msg_1', output_index, content_index: 0 };
    return [
      { type: 'response.content_part.added', ...at, part: textPart('') },
      ...wordsOf(value).map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...at, text: value, logprobs: [] },
      { type: 'response.content_part.done', ...at, part: textPart(value) },
    ];
  });

const streamedCall = (called: ToolCall) =>
  streamed(callOf(called, 'in_progress'), callOf(called), (output_index) => {
    const at = { item_id: `fc_${called.id}`, output_index };
    const { name, arguments: given } = callOf(called);
    return [
      ...halvesOf(called.input).map((delta) => ({
        type: 'response.function_call_arguments.delta',
        ...at,
        delta,
      })),
      { type: 'response.function_call_arguments.done', ...at, name, arguments: given },
    ];
  });

function events(reply: Reply): Event[] {
  const { text: value, reasoning, calls } = reply;
  const items = [
    ...(reasoning === null ? [] : [streamedReasoning(reasoning)]),
    ...(value === null ? [] : [streamedText(value)]),
    ...calls.map(streamedCall),
  ];
  return [
    { type: 'response.created', response: responseOf([], 'in_progress') },
    { type: 'response.in_progress', response: responseOf([], 'in_progress') },
    ...items.flatMap((item_, index) => item_(index)),
    { type: 'response.completed', response: responseOf(itemsOf(reply)) },
  ].map((event, index) => ({ ...event, sequence_number: index }));
}

export const openAiResponses: StandIn = {
  dialect: 'openai-responses',
  provider: 'responses-only',
  model: 'gpt-5-codex',
  configurations: (origin) => ({ custom_host: origin }),
  path: () => '/responses',
  request: REQUEST,
  requested: { reasoning: ['reasoning', 'effort'], schema: ['text', 'format', 'schema'] },
  history,
  hasIds: true,
  isAuthorized: bearer('sk-openai-responses'),
  reply: (reply) =>
    reply.streams ? namedEvents(events(reply), reply) : { body: responseOf(itemsOf(reply)) },
  error: {
    status: 429,
    body: { error: { message: 'Slow down.', type: 'requests', code: 'rate_limit_exceeded' } },
  },
};
