import { CODES, McpFault, own, resultBody, unknownCapability } from '@gw/mcp';
import type { EndpointRequest } from '../mcp-request';
import type { SessionState } from './session-states';

const LEVELS: readonly unknown[] = [
  ...['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'],
];

type Setter = (request: EndpointRequest, state: SessionState) => Promise<void>;

/** Functions that carry out requests which change the settings of a legacy session, by method. */
const SETTERS: Readonly<Record<string, Setter>> = {
  // Upstream sessions receive the level with their next calls.
  'logging/setLevel': ({ message }, state) => {
    const level = own(message.params, 'level');
    if (!LEVELS.includes(level)) throw invalid(`params.level must be one of ${LEVELS.join(', ')}.`);
    return state.setLogLevel(level as string);
  },
  'resources/subscribe': async ({ message, endpoint }, state) => {
    const uri = uriOf(message.params['uri']);
    if (endpoint.resourceOf(uri) === undefined) throw unknownCapability('resource', uri);
    if (!(await state.subscribe(uri)))
      throw invalid('A session has at most 100 subscriptions; end some, or use shorter URIs.');
  },
  'resources/unsubscribe': ({ message }, state) => state.unsubscribe(uriOf(message.params['uri'])),
};

export const setsInSession = (method: string): boolean => Object.hasOwn(SETTERS, method);

/**
 * Carries out a request that changes the settings of a session, and responds. Throws `McpFault`.
 */
export async function setInSession(request: EndpointRequest): Promise<void> {
  const { message, state, reply } = request;
  const set = SETTERS[message.method];
  if (state === null || set === undefined) throw new McpFault(CODES.methodNotFound, 'Method not found.');
  await set(request, state);
  reply.end(JSON.stringify(resultBody(message.id, {})));
}

function uriOf(uri: unknown): string {
  if (typeof uri === 'string' && uri !== '' && uri.length <= 2_048) return uri;
  throw invalid('params.uri must be a URI of at most 2,048 characters.');
}

const invalid = (message: string): McpFault => new McpFault(CODES.invalidParams, message);
