import type { InputHandling } from '@gw/mcp-client';
import type { McpRequest } from '../mcp-request';
import { inputRules } from '../upstreams';
import { samplingModel, type Sampling } from './sampling';

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
  return {
    context,
    respond: (asked, until) =>
      asked.method === 'sampling/createMessage'
        ? sampling.answer(request, model, asked.params, until)
        : respond(asked, until),
  };
}
