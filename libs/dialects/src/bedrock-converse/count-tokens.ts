import { pathOf } from '../call';
import type { ProviderTokenCounter } from '../codec';
import { readCount } from '../values/counts';
import { isAbsent } from '../values/json';
import { answerInvalid } from '../values/tool-arguments';
import { encodeContent, toolConfig } from './encode-call';
import { modelPath } from './model-path';
import { modelOf, resolvedTarget } from './models';

/** `CountTokens`, which takes the id of a model without its region. */
export const providerTokens: ProviderTokenCounter = {
  encodeCall(call, target, losses) {
    const { turns, tools, output } = encodeContent(call, resolvedTarget(target), losses);
    const { messages, system } = turns;
    const { id, family } = modelOf(target);
    if (family !== 'claude')
      losses.refuse(pathOf(call, 'model'), 'Bedrock counts the tokens of Claude models only.');
    return {
      path: modelPath(id, 'count-tokens', call.paths, losses),
      body: {
        input: {
          converse: { messages, ...(system.length === 0 ? {} : { system }), ...toolConfig(tools, output) },
        },
      },
    };
  },
  decodeResponse(body) {
    const input = isAbsent(body['inputTokens']) ? null : readCount(body['inputTokens']);
    if (input === null) throw answerInvalid('inputTokens is no count.');
    return { input };
  },
};
