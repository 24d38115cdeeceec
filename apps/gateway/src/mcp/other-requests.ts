import { McpFault, CODES, own, ownObject, unknownCapability, type JsonObject } from '@gw/mcp';
import type { ToolGuards } from '../guardrails/tool-guards';
import { guarded } from './denials';
import type { McpRequest } from './mcp-request';
import type { UpstreamCalls } from './upstream-calls';

/** What a request is about: the name of a prompt, or the URI of a resource. */
interface About {
  readonly type: 'prompt' | 'resource';
  readonly name: string;
}

/** Requests other than lists and tools/call that a server answers, with the member that names what they are about. */
const ABOUT: Readonly<Record<string, (request: McpRequest) => About>> = {
  'prompts/get': (request) => prompt(request, own(request.message.params, 'name')),
  'resources/read': (request) => resource(request, own(request.message.params, 'uri')),
  'completion/complete': (request) => {
    const ref = ownObject(request.message.params, 'ref');
    return own(ref, 'type') === 'ref/prompt'
      ? prompt(request, own(ref, 'name'))
      : resource(request, own(ref, 'uri'));
  },
};

export const isForwarded = (method: string): boolean => Object.hasOwn(ABOUT, method);

/** Carries out prompts/get, resources/read and completion/complete. Resolves when the response is sent. */
export async function forward(request: McpRequest, calls: UpstreamCalls, guards: ToolGuards): Promise<void> {
  const { context, message } = request;
  const server = request.view.document;
  const { method, params } = message;
  const { type, name } = (ABOUT[method] as (request: McpRequest) => About)(request);
  if (context.mcp !== null) {
    context.mcp.name = name;
    if (type === 'prompt') context.mcp.capability = name;
  }
  context.spanName ??= `${method} ${name}`.slice(0, 256);
  await calls.run(request, {
    params: ownParams(params),
    finished: (result) =>
      guarded(() =>
        guards.after(context, { server, capabilityId: null, arguments: params }, () => result.value),
      ),
    paused: () => undefined,
  });
}

/** Params without what belongs to the client's own request. */
function ownParams(params: JsonObject): JsonObject {
  const { _meta, inputResponses: _responses, requestState: _state, ...rest } = params;
  return rest;
}

function prompt({ view, message }: McpRequest, name: unknown): About {
  if (typeof name !== 'string' || name === '') throw lacking('a prompt', message.id);
  if (view.of('prompt').get(name) === undefined) throw unknownCapability('prompt', name, message.id);
  return { type: 'prompt', name };
}

function resource({ view, message, era }: McpRequest, uri: unknown): About {
  if (typeof uri !== 'string' || uri === '') throw lacking('a resource', message.id);
  if (view.resourceOf(uri) !== undefined || view.of('resource_template').has(uri))
    return { type: 'resource', name: uri };
  throw new McpFault(
    era === 'modern' ? CODES.invalidParams : CODES.resourceNotFound,
    `Unknown resource: ${uri.slice(0, 256)}`,
    {
      id: message.id,
      data: { uri: uri.slice(0, 2_048) },
    },
  );
}

const lacking = (what: string, id: McpRequest['message']['id']): McpFault =>
  new McpFault(CODES.invalidParams, `params must name ${what}.`, { id });
