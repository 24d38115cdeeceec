import { anyObject, closed, count, either, filled, flag, list, only, text } from '../schema';
import { INPUT_TOKENS, OUTPUT_TOKENS, type Reply } from '../scenario';
import { bearer, namedEvents, type StandIn } from '../stand-in';

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
          parameters: either(anyObject, { type: 'null' }),
          strict: either(flag, { type: 'null' }),
        },
      ),
    ),
    tool_choice: either(only('auto', 'none', 'required'), anyObject),
    parallel_tool_calls: flag,
    text: closed(
      {},
      {
        format: closed(
          { type: only('json_schema'), name: filled, schema: anyObject },
          { strict: either(flag, { type: 'null' }), description: text },
        ),
        verbosity: text,
      },
    ),
    reasoning: closed({}, { effort: text, summary: text }),
    include: list(text),
    max_output_tokens: count,
    store: flag,
    stream: flag,
  },
);

const USAGE = {
  input_tokens: INPUT_TOKENS,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: OUTPUT_TOKENS,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
};
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

function itemsOf({ text: value, reasoning, calls }: Reply): object[] {
  return [
    ...(reasoning === null
      ? []
      : [{ type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: reasoning }] }]),
    ...(value === null ? [] : [messageOf(value)]),
    ...calls.map(({ id, name, input: given }) => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: JSON.stringify(given),
      status: 'completed',
    })),
  ];
}

function events({ text: value }: Reply) {
  const words = value ?? '';
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const deltas = words
    .split(/(?= )/)
    .map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] }));
  const all = [
    { type: 'response.created', response: responseOf([], 'in_progress') },
    { type: 'response.in_progress', response: responseOf([], 'in_progress') },
    { type: 'response.output_item.added', output_index: 0, item: messageOf(words, 'in_progress') },
    { type: 'response.content_part.added', ...at, part: textPart('') },
    ...deltas,
    { type: 'response.output_text.done', ...at, text: words, logprobs: [] },
    { type: 'response.content_part.done', ...at, part: textPart(words) },
    { type: 'response.output_item.done', output_index: 0, item: messageOf(words) },
    { type: 'response.completed', response: responseOf([messageOf(words)]) },
  ];
  return all.map((event, index) => ({ ...event, sequence_number: index }));
}

export const openAiResponses: StandIn = {
  dialect: 'openai-responses',
  provider: 'responses-only',
  model: 'gpt-5-codex',
  configurations: (origin) => ({ custom_host: origin }),
  path: () => '/responses',
  request: REQUEST,
  isAuthorized: bearer('sk-openai-responses'),
  reply: (reply) =>
    reply.streams ? namedEvents(events(reply), reply) : { body: responseOf(itemsOf(reply)) },
  error: {
    status: 429,
    body: { error: { message: 'Slow down.', type: 'requests', code: 'rate_limit_exceeded' } },
  },
};
