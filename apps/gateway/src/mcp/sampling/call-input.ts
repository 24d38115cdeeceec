import type { InputHandling } from '@gw/mcp-client';
import type { McpRequest } from '../mcp-request';
import { inputRules } from '../upstreams';
import { samplingModel, type Sampling } from './sampling';

/** Maximum number of completions for one tool call. */
const OF_CALL_MAX = 5;

/**
 * Returns how a server's requests for input are answered during a call: by the client through
 * `respond`, or, for sampling, by a model of the workspace when the server has one.
 */
export function inputHandling(
  request: McpRequest,
  respond: InputHandling['respond'],
  { ownHosts, sampling }: { readonly ownHosts: readonly string[]; readonly sampling: Sampling },
): InputHandling {
  const { document } = request.view;
  const context = { ...inputRules(document, request.capabilities), ownHosts };
  const model = samplingModel(document);
  if (model === null) return { context, respond };
  let left = OF_CALL_MAX;
  return {
    context,
    respond: (asked, until) => {
      if (asked.method !== 'sampling/createMessage') return respond(asked, until);
      left -= 1;
      return left < 0 ? Promise.resolve(null) : sampling.answer(request, model, asked.params, until);
    },
  };
}
