import { McpFault, CODES, own, ownObject, unknownCapability, type JsonObject } from '@gw/mcp';
import type { ToolGuards } from '../guardrails/tool-guards';
import { argumentBytes } from './argument-bytes';
import { guarded } from './denials';
import { guardedError } from './guarded-texts';
import { atServer, type EndpointRequest } from './mcp-request';
import type { ServerView } from './server-view';
import type { UpstreamCalls } from './upstream-calls';

/** The prompt or resource that a request is about, under the server's own name. */
interface Subject {
  readonly type: 'prompt' | 'resource';
  readonly view: ServerView;
  readonly name: string;
  /** Params that the server receives, with its own names. */
  readonly params: JsonObject;
  /** Names of the params that contain texts of the caller, which guardrails judge. */
  readonly judged: readonly string[];
}

/**
 * Functions that find the subject of a request, by method: the methods other than lists and
 * tools/call that a server answers.
 */
const SUBJECTS: Readonly<Record<string, (request: EndpointRequest) => Subject>> = {
  'prompts/get': (request) => {
    const { params } = request.message;
    const found = prompt(request, own(params, 'name'));
    return { ...found, params: { ...params, name: found.name }, judged: ['arguments'] };
  },
  'resources/read': (request) => {
    const { params } = request.message;
    const found = resource(request, own(params, 'uri'));
    return { ...found, params: { ...params, uri: found.name }, judged: [] };
  },
  'completion/complete': (request) => {
    const { params } = request.message;
    const ref = ownObject(params, 'ref');
    const [member, find] =
      own(ref, 'type') === 'ref/prompt' ? (['name', prompt] as const) : (['uri', resource] as const);
    const found = find(request, own(ref, member));
    const sent = { ...params, ref: { ...ref, [member]: found.name } };
    return { ...found, params: sent, judged: ['argument', 'context'] };
  },
};

export const isForwarded = (method: string): boolean => Object.hasOwn(SUBJECTS, method);

/**
 * Carries out prompts/get, resources/read and completion/complete. Resolves when the response is
 * sent.
 */
export async function forward(
  from: EndpointRequest,
  calls: UpstreamCalls,
  guards: ToolGuards,
): Promise<void> {
  const { context, message } = from;
  const { method } = message;
  const subjectOf = SUBJECTS[method];
  if (subjectOf === undefined)
    throw new McpFault(CODES.methodNotFound, 'Method not found.', { id: message.id });
  const { type, view, name, params: written, judged } = subjectOf(from);
  const request = atServer(from, view);
  const server = view.document;
  if (context.mcp !== null) {
    context.mcp.name = name;
    if (type === 'prompt') context.mcp.capability = name;
  }
  context.spanName ??= `${method} ${name}`.slice(0, 256);
  const params = await judgedParams(written, judged, (args) =>
    guarded(() => guards.before(context, { server, capabilityId: null, arguments: args })),
  );
  const subject = { server, capabilityId: null, arguments: params };
  await calls.run(request, {
    params: ownParams(params),
    argumentBytes: argumentBytes(request, own(params, 'arguments')),
    onResult: (result) => guarded(() => guards.after(context, subject, () => result.value)),
    onError: (error) => guardedError({ guards, context, subject }, error),
    onInputRequired: () => undefined,
  });
}

/** Resolves to the params, of which `judge` has judged and may have changed those of these names. */
async function judgedParams(
  params: JsonObject,
  names: readonly string[],
  judge: (args: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject> {
  const present = names.filter((name) => own(params, name) !== undefined);
  if (present.length === 0) return params;
  const args = Object.fromEntries(present.map((name) => [name, own(params, name)]));
  const result = await judge(args);
  return result === args ? params : { ...params, ...result };
}

/** Returns the params without the members that belong to the client's own request. */
function ownParams(params: JsonObject): JsonObject {
  const { _meta, inputResponses: _responses, requestState: _state, ...rest } = params;
  return rest;
}

type Found = Omit<Subject, 'params' | 'judged'>;

function prompt({ endpoint, message }: EndpointRequest, name: unknown): Found {
  if (typeof name !== 'string' || name === '') throw missingName('a prompt', message.id);
  const found = endpoint.find('prompt', name);
  if (found === undefined) throw unknownCapability('prompt', name, message.id);
  return { type: 'prompt', view: found.view, name: found.seen.facts.name };
}

function resource({ endpoint, message, era }: EndpointRequest, uri: unknown): Found {
  if (typeof uri !== 'string' || uri === '') throw missingName('a resource', message.id);
  const found = endpoint.resourceOf(uri);
  if (found !== undefined) return { type: 'resource', view: found.view, name: found.uri };
  const template = endpoint.find('resource_template', uri);
  if (template !== undefined)
    return { type: 'resource', view: template.view, name: template.seen.facts.name };
  throw new McpFault(
    era === 'modern' ? CODES.invalidParams : CODES.resourceNotFound,
    `Unknown resource: ${uri.slice(0, 256)}`,
    {
      id: message.id,
      data: { uri: uri.slice(0, 2_048) },
    },
  );
}

const missingName = (what: string, id: EndpointRequest['message']['id']): McpFault =>
  new McpFault(CODES.invalidParams, `params must name ${what}.`, { id });
