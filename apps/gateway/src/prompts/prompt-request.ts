import type { PromptVersionDocument } from '@gw/contracts';
import { GatewayError, isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';

/** Two names of the same parameter: a value for one replaces a value for the other. */
const SAME = ['max_tokens', 'max_completion_tokens'] as const;

/** Members of these requests: a variable with such a name keeps the parameter in the request. */
const REQUEST_MEMBERS: ReadonlySet<string> = new Set([
  ...'audio best_of echo frequency_penalty function_call functions logit_bias logprobs max_completion_tokens'.split(
    ' ',
  ),
  ...'max_tokens messages metadata modalities model n parallel_tool_calls prediction presence_penalty'.split(
    ' ',
  ),
  ...'prompt prompt_cache_key prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop'.split(
    ' ',
  ),
  ...'store stream stream_options suffix temperature tool_choice tools top_k top_logprobs'.split(' '),
  ...'top_p user verbosity web_search_options'.split(' '),
]);

/**
 * Builds the request that a prompt version describes: the stored parameters, overridden by the
 * rendered template, overridden by the root members of the caller's body. `stream` is only taken
 * from the caller.
 */
export function requestOf(
  version: PromptVersionDocument,
  used: ReadonlySet<string>,
  rendered: Readonly<JsonObject>,
  body: Readonly<JsonObject>,
): JsonObject {
  const { variables: _, stream: __, ...stored } = parametersOf(version, used);
  const { variables: ___, ...sent } = body;
  const { model, functions, tools, toolChoice } = version;
  const request: JsonObject = {
    ...stored,
    ...(model === null ? {} : { model }),
    ...rendered,
    ...(functions === null ? {} : { functions }),
    ...(tools === null ? {} : { tools }),
    ...(toolChoice === null ? {} : { tool_choice: toolChoice[0] }),
  };
  const given = SAME.some((name) => Object.hasOwn(sent, name));
  if (given) for (const name of SAME) Reflect.deleteProperty(request, name);
  return { ...request, ...sent };
}

/**
 * Returns the stored parameters of the request: all but those that are only default values of
 * variables.
 */
function parametersOf({ parameters }: PromptVersionDocument, used: ReadonlySet<string>): JsonObject {
  const kept = Object.entries(parameters).filter(([name]) => !used.has(name) || REQUEST_MEMBERS.has(name));
  return Object.fromEntries(kept);
}

/**
 * Returns the variables of the request: the version's `parameters` that the templates use,
 * overridden by its `parameters.variables`, overridden by the request's own. Throws
 * `validation_failed` if those of the request are not an object.
 */
export function variablesOf(
  { parameters }: PromptVersionDocument,
  used: ReadonlySet<string>,
  { variables }: Readonly<JsonObject>,
): JsonObject {
  const { variables: defaults, ...others } = parameters;
  if (variables !== undefined && !isObject(variables)) {
    throw new GatewayError('validation_failed', {
      param: 'variables',
      message: 'variables: must be an object',
      details: [{ path: 'variables', message: 'must be an object' }],
    });
  }
  const named = Object.entries(others).filter(([name]) => used.has(name));
  return { ...Object.fromEntries(named), ...(isObject(defaults) ? defaults : {}), ...variables };
}
