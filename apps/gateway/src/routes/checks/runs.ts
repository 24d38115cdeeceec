import type { JsonObject } from '@gw/providers';
import { isObject } from '../../http/json-body';
import { anyObject, flag, integer, isAbsent, list, metadata, object, oneOf, text } from './rules';
import type { Rule } from './rules';
import { maxNumResults, messageBody, threadBody, toolResources } from './threads';
import { kindOf, quoted, type Violations } from './violations';

const TOOLS_MAX = 20;
const RUN_TOKENS_MIN = 256;
const FUNCTION_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

const functionName: Rule = (value, path, found) => {
  if (typeof value === 'string' && FUNCTION_NAME.test(value)) return;
  found.add(path, 'must be 1 to 64 characters of a-z, A-Z, 0-9, underscore and dash', quoted(value));
};

/** A tool or a choice of type `function` must say which. */
const namesFunction = (body: JsonObject, path: string, found: Violations): void => {
  if (body['type'] === 'function' && isAbsent(body['function']))
    found.add(`${path}.function`, 'is required when type is function', kindOf(body['function']));
};

const TOOL_TYPES = ['code_interpreter', 'file_search', 'function'] as const;

const tool = object(
  {
    type: oneOf(...TOOL_TYPES),
    file_search: object({ max_num_results: maxNumResults }),
    function: object(
      { name: functionName, description: text, parameters: anyObject, strict: flag },
      { required: ['name'] },
    ),
  },
  { required: ['type'], together: namesFunction },
);

const truncationStrategy = object(
  { type: oneOf('auto', 'last_messages'), last_messages: integer(1) },
  { required: ['type'] },
);

/** One of the names, or an object that keeps `rule`. */
const nameOr = (rule: Rule, ...names: readonly string[]): Rule => {
  const name = oneOf(...names);
  return (value, path, found) => {
    (isObject(value) ? rule : name)(value, path, found);
  };
};

const toolChoice = nameOr(
  object(
    { type: oneOf(...TOOL_TYPES), function: object({ name: functionName }, { required: ['name'] }) },
    { required: ['type'], together: namesFunction },
  ),
  'none',
  'auto',
  'required',
);

const responseFormat = nameOr(object({ type: oneOf('text', 'json_object') }), 'none', 'auto');

const isTool = (item: unknown, type: string): boolean => isObject(item) && item['type'] === type;

/** JSON mode takes function tools only. */
function jsonTakesFunctions(body: JsonObject, _: string, found: Violations): void {
  const { tools, response_format: format } = body;
  if (!isObject(format) || format['type'] !== 'json_object' || !Array.isArray(tools)) return;
  tools.forEach((item: unknown, index) => {
    if (isTool(item, 'code_interpreter') || isTool(item, 'file_search')) {
      const type = (item as JsonObject)['type'];
      found.add(
        `tools.${String(index)}.type`,
        'must be function when response_format is json_object',
        quoted(type),
      );
    }
  });
}

const RUN = {
  assistant_id: text,
  model: text,
  instructions: text,
  additional_instructions: text,
  additional_messages: list(messageBody),
  tools: list(tool, TOOLS_MAX),
  metadata,
  stream: flag,
  max_prompt_tokens: integer(RUN_TOKENS_MIN),
  max_completion_tokens: integer(RUN_TOKENS_MIN),
  truncation_strategy: truncationStrategy,
  tool_choice: toolChoice,
  parallel_tool_calls: flag,
  response_format: responseFormat,
} as const;

/** Body of `POST /threads/{thread_id}/runs`. */
export const runBody = object(RUN, { together: jsonTakesFunctions });

/** Body of `POST /threads/runs`. */
export const threadAndRunBody = object(
  { ...RUN, thread: threadBody, tool_resources: toolResources },
  { together: jsonTakesFunctions },
);

/** Body of `POST /assistants`: the specification bounds its metadata and its tools, but not how many there are. */
export const assistantBody = object({ tools: list(tool), tool_resources: toolResources, metadata });
