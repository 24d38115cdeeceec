import type { PromptVersionDocument } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import { isObject } from '../../http/json-body';

/** Names of one parameter: whoever gives one of them means the other, too. */
const SAME = ['max_tokens', 'max_completion_tokens'] as const;

/**
 * The request that a version of a prompt describes: what is stored, then what was rendered, and over both what the caller sent
 * at the root of the body. `stream` is the caller's alone.
 */
export function requestOf(
  version: PromptVersionDocument,
  rendered: Readonly<JsonObject>,
  body: Readonly<JsonObject>,
): JsonObject {
  const { variables: _, stream: __, ...stored } = version.parameters;
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

/** Default values of the version under those of the request. Throws `validation_failed` for what is no object. */
export function variablesOf(version: PromptVersionDocument, { variables }: Readonly<JsonObject>): JsonObject {
  const { variables: defaults } = version.parameters;
  if (variables !== undefined && !isObject(variables)) {
    throw new GatewayError('validation_failed', {
      param: 'variables',
      message: 'variables: must be an object',
      details: [{ path: 'variables', message: 'must be an object' }],
    });
  }
  return { ...(isObject(defaults) ? defaults : {}), ...variables };
}
