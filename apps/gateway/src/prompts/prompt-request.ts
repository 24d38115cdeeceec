import type { PromptVersionDocument } from '@gw/contracts';
import { GatewayError, isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';

/** Names of one parameter: one of them means the other, too. */
const SAME = ['max_tokens', 'max_completion_tokens'] as const;

/** Members that these requests have: a variable of such a name leaves its parameter in the request. */
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
 * The request that a version of a prompt describes: what is stored, then what was rendered, and over both what the caller sent
 * at the root of the body. `stream` is the caller's alone.
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

/** Stored members that the request has: all but those that are default values of variables alone. */
function parametersOf({ parameters }: PromptVersionDocument, used: ReadonlySet<string>): JsonObject {
  const kept = Object.entries(parameters).filter(([name]) => !used.has(name) || REQUEST_MEMBERS.has(name));
  return Object.fromEntries(kept);
}

/**
 * Variables of the request, over the default values of the version: the members of `parameters` that the templates use by name, and
 * over them those of `parameters.variables`. Throws `validation_failed` for what is no object.
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
