import { runTokens } from '../checks/runs';
import {
  constant,
  described,
  flag,
  integer,
  list,
  names,
  object,
  orNull,
  ref,
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

/** Every field of a run except `temperature` and `top_p` is always present. */
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
  max_prompt_tokens: orNull(runTokens.schema),
  max_completion_tokens: orNull(runTokens.schema),
  truncation_strategy: orNull(ref('TruncationObject')),
  tool_choice: orNull(ref('RunToolChoice')),
  parallel_tool_calls: { ...flag, default: true },
  response_format: orNull(ref('RunResponseFormat')),
} as const;

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
};
