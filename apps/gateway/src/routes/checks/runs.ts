import { isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import { names, type Schema } from '../openapi/schema';
import {
  anyObject,
  documented,
  flag,
  integer,
  isAbsent,
  list,
  metadata,
  named,
  object,
  oneOf,
  rule,
  text,
  type Rule,
} from './rules';
import { maxNumResults, messageBody, threadBody, toolResources } from './threads';
import { kindOf, quoted, type Violations } from './violations';

const TOOLS_MAX = 20;
const RUN_TOKENS_MIN = 256;
const FUNCTION_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

const functionName = rule(
  { type: 'string', pattern: FUNCTION_NAME.source, maxLength: 64 },
  (value, path, found) => {
    if (typeof value === 'string' && FUNCTION_NAME.test(value)) return;
    found.add(path, 'must be 1 to 64 characters of a-z, A-Z, 0-9, underscore and dash', quoted(value));
  },
);

/** A tool or a choice of type `function` must name its function. */
const namesFunction = (body: JsonObject, path: string, found: Violations): void => {
  if (body['type'] === 'function' && isAbsent(body['function']))
    found.add(`${path}.function`, 'is required when type is function', kindOf(body['function']));
};

/** The same rule for the document. */
const NAMES_FUNCTION: Schema = {
  if: { properties: { type: { const: 'function' } }, required: ['type'] },
  then: { properties: { function: { type: 'object' } }, required: ['function'] },
};

const TOOL_TYPES = ['code_interpreter', 'file_search', 'function'] as const;

export const tool = named(
  'RunTool',
  object(
    {
      type: oneOf(...TOOL_TYPES),
      file_search: object({
        max_num_results: documented(maxNumResults, {
          description: '1 to 50; the default depends on the model.',
        }),
      }),
      function: object(
        {
          name: functionName,
          description: text,
          parameters: documented(anyObject, {
            description: 'JSON Schema; if omitted, the function has no parameters.',
          }),
          strict: documented(flag, { default: false }),
        },
        { required: ['name'] },
      ),
    },
    { required: ['type'], together: namesFunction, togetherSchema: NAMES_FUNCTION },
  ),
);

export const truncationStrategy = named(
  'TruncationObject',
  object(
    {
      type: documented(oneOf('auto', 'last_messages'), { default: 'auto' }),
      last_messages: documented(integer(1), {
        description: 'The number of most recent messages that are kept.',
      }),
    },
    { required: ['type'] },
  ),
);

/** Accepts one of the words, or an object that passes `form`. */
const nameOr = (form: Rule, ...words: readonly string[]): Rule => {
  const word = oneOf(...words);
  return rule({ oneOf: [names(...words), form.schema], default: 'auto' }, (value, path, found) => {
    (isObject(value) ? form : word)(value, path, found);
  });
};

export const toolChoice = named(
  'RunToolChoice',
  nameOr(
    object(
      { type: oneOf(...TOOL_TYPES), function: object({ name: functionName }, { required: ['name'] }) },
      { required: ['type'], together: namesFunction, togetherSchema: NAMES_FUNCTION },
    ),
    'none',
    'auto',
    'required',
  ),
);

export const responseFormat = named(
  'RunResponseFormat',
  nameOr(object({ type: documented(oneOf('text', 'json_object'), { default: 'text' }) }), 'none', 'auto'),
);

const isTool = (item: unknown, type: string): boolean => isObject(item) && item['type'] === type;

/** JSON mode requires that all tools are functions. */
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

/** The same rule for the document. */
const JSON_TAKES_FUNCTIONS: Schema = {
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

/** Maximum number of tokens of a run. */
export const runTokens = documented(integer(RUN_TOKENS_MIN), { description: 'At least 256.' });

const RUN = {
  assistant_id: text,
  model: text,
  instructions: text,
  additional_instructions: text,
  additional_messages: list(messageBody),
  tools: list(tool, TOOLS_MAX),
  metadata,
  stream: flag,
  max_prompt_tokens: runTokens,
  max_completion_tokens: runTokens,
  truncation_strategy: truncationStrategy,
  tool_choice: toolChoice,
  parallel_tool_calls: flag,
  response_format: responseFormat,
} as const;

const TOGETHER = { together: jsonTakesFunctions, togetherSchema: JSON_TAKES_FUNCTIONS };

/** Body of `POST /threads/{thread_id}/runs`. */
export const runBody = named('CreateRunRequest', object(RUN, TOGETHER));

/** Body of `POST /threads/runs`. */
export const threadAndRunBody = named(
  'CreateThreadAndRunRequest',
  object({ ...RUN, thread: threadBody, tool_resources: toolResources }, TOGETHER),
);

/**
 * Body of `POST /assistants`: the specification bounds its metadata and each tool, but not the
 * number of tools.
 */
export const assistantBody = named(
  'AssistantRequest',
  object({ tools: list(tool), tool_resources: toolResources, metadata }),
);
