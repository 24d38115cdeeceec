import {
  between,
  constant,
  described,
  flag,
  integer,
  list,
  names,
  object,
  orNull,
  ref,
  request,
  text,
  unixSeconds,
  type Schema,
} from './schema';

const RUN_STATUSES = [
  'queued',
  'in_progress',
  'requires_action',
  'cancelling',
  'cancelled',
  'failed',
  'completed',
  'incomplete',
  'expired',
] as const;

const TOOL_TYPES = ['code_interpreter', 'file_search', 'function'] as const;

const functionName: Schema = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$', maxLength: 64 };

const runTokens = described(between('integer', 256), 'At least 256.');

/** A tool or a choice of type `function` names the function. */
const namesFunction: Schema = {
  if: { properties: { type: { const: 'function' } }, required: ['type'] },
  then: { properties: { function: { type: 'object' } }, required: ['function'] },
};

/** JSON mode takes function tools only. */
const jsonTakesFunctions: Schema = {
  if: {
    properties: {
      response_format: {
        type: 'object',
        properties: { type: { const: 'json_object' } },
        required: ['type'],
      },
    },
    required: ['response_format'],
  },
  then: {
    properties: {
      tools: { type: ['array', 'null'], items: { properties: { type: { const: 'function' } } } },
    },
  },
};

const RUN_REQUEST = {
  assistant_id: text,
  model: text,
  instructions: text,
  additional_instructions: text,
  additional_messages: list(ref('ThreadMessageRequest')),
  tools: list(ref('RunTool'), 20),
  metadata: ref('Metadata'),
  stream: flag,
  max_prompt_tokens: runTokens,
  max_completion_tokens: runTokens,
  truncation_strategy: ref('TruncationObject'),
  tool_choice: ref('RunToolChoice'),
  parallel_tool_calls: flag,
  response_format: ref('RunResponseFormat'),
} as const;

/** Every field of a run but `temperature` and `top_p` is always there. */
const RUN_ALWAYS = {
  id: text,
  object: constant('thread.run'),
  created_at: unixSeconds,
  thread_id: described(text, 'The thread that the run executed on.'),
  assistant_id: described(text, 'The assistant that was used.'),
  status: names(...RUN_STATUSES),
  required_action: described(orNull(ref('RunRequiredAction')), 'Null when no action is required.'),
  last_error: described(orNull(ref('RunLastError')), 'Null when there is no error.'),
  expires_at: orNull(unixSeconds),
  started_at: orNull(unixSeconds),
  cancelled_at: orNull(unixSeconds),
  failed_at: orNull(unixSeconds),
  completed_at: orNull(unixSeconds),
  incomplete_details: described(orNull(ref('RunIncompleteDetails')), 'Null unless the run is incomplete.'),
  model: described(text, 'The model that was used.'),
  instructions: described(text, 'The instructions that were used.'),
  tools: { ...list(ref('RunTool'), 20), default: [] },
  metadata: orNull(ref('Metadata')),
  usage: described(orNull(ref('RunUsage')), 'Null while the run is not terminal.'),
  max_prompt_tokens: orNull(runTokens),
  max_completion_tokens: orNull(runTokens),
  truncation_strategy: orNull(ref('TruncationObject')),
  tool_choice: orNull(ref('RunToolChoice')),
  parallel_tool_calls: { ...flag, default: true },
  response_format: orNull(ref('RunResponseFormat')),
} as const;

const choice = (form: Schema, ...words: readonly string[]): Schema => ({
  oneOf: [names(...words), form],
  default: 'auto',
});

export const RUN_SCHEMAS: Readonly<Record<string, Schema>> = {
  Run: object(
    {
      ...RUN_ALWAYS,
      temperature: described({ type: ['number', 'null'], default: 1 }, 'Defaults to 1 when not set.'),
      top_p: described({ type: ['number', 'null'], default: 1 }, 'Defaults to 1 when not set.'),
    },
    Object.keys(RUN_ALWAYS),
  ),
  RunList: object(
    {
      object: constant('list'),
      data: list(ref('Run')),
      first_id: text,
      last_id: text,
      has_more: flag,
    },
    ['object', 'data', 'first_id', 'last_id', 'has_more'],
  ),
  RunRequiredAction: object(
    {
      type: constant('submit_tool_outputs'),
      submit_tool_outputs: object({ tool_calls: list(ref('RunToolCall')) }, ['tool_calls']),
    },
    ['type', 'submit_tool_outputs'],
  ),
  RunToolCall: object(
    {
      id: described(text, 'Referenced when tool outputs are submitted.'),
      type: constant('function'),
      function: object(
        { name: text, arguments: described(text, 'The arguments that the model expects to be passed.') },
        ['name', 'arguments'],
      ),
    },
    ['id', 'type', 'function'],
  ),
  RunLastError: object(
    { code: names('server_error', 'rate_limit_exceeded', 'invalid_prompt'), message: text },
    ['code', 'message'],
  ),
  RunIncompleteDetails: object({ reason: names('max_completion_tokens', 'max_prompt_tokens') }),
  RunUsage: object({ prompt_tokens: integer, completion_tokens: integer, total_tokens: integer }, [
    'prompt_tokens',
    'completion_tokens',
    'total_tokens',
  ]),
  RunTool: {
    ...request(
      {
        type: names(...TOOL_TYPES),
        file_search: request({
          max_num_results: described(between('integer', 1, 50), '1 to 50; the default depends on the model.'),
        }),
        function: request(
          {
            name: functionName,
            description: text,
            parameters: described({ type: 'object' }, 'JSON Schema; left out means no parameters.'),
            strict: { ...flag, default: false },
          },
          ['name'],
        ),
      },
      ['type'],
    ),
    ...namesFunction,
  },
  TruncationObject: request(
    {
      type: { ...names('auto', 'last_messages'), default: 'auto' },
      last_messages: described(between('integer', 1), 'The number of most recent messages that are kept.'),
    },
    ['type'],
  ),
  RunToolChoice: choice(
    {
      ...request({ type: names(...TOOL_TYPES), function: request({ name: functionName }, ['name']) }, [
        'type',
      ]),
      ...namesFunction,
    },
    'none',
    'auto',
    'required',
  ),
  RunResponseFormat: choice(
    request({ type: { ...names('text', 'json_object'), default: 'text' } }),
    'none',
    'auto',
  ),
  CreateRunRequest: { ...request(RUN_REQUEST), ...jsonTakesFunctions },
  CreateThreadAndRunRequest: {
    ...request({ ...RUN_REQUEST, thread: ref('CreateThreadRequest'), tool_resources: ref('ToolResources') }),
    ...jsonTakesFunctions,
  },
};
