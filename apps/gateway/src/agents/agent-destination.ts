import { agentRoute, type AgentRoute } from '@gw/a2a';
import { PUSH_PATH } from './push/push-address';

/**
 * Destination of a request to an agent, to the catalogue of agents, or to the receiver of their
 * notifications.
 */
export type AgentDestination =
  | Exclude<AgentRoute, { kind: 'refused' }>
  /** The catalogue of the caller's agents. */
  | { readonly kind: 'catalogue' }
  /** A notification from an agent. `sealed` is the sealed id of its registration. */
  | { readonly kind: 'push'; readonly sealed: string };

type Refused = Extract<AgentRoute, { kind: 'refused' }>;

export const CATALOGUE_PATH = '/v1/agents/catalog.json';
/**
 * Path prefix of the agents of the caller's workspace; paths with a named workspace have `agents`
 * as their second segment.
 */
const OWN_AGENTS = '/v1/agent/';
const NAMED_AGENTS = /^\/[^/]+\/agents\/[^/]/;

/** Parses a path of the agent endpoints; undefined for any other path. */
export function agentDestination(method: string, path: string): AgentDestination | Refused | undefined {
  if (path === CATALOGUE_PATH) return method === 'GET' ? { kind: 'catalogue' } : only('GET');
  if (path.startsWith(PUSH_PATH))
    return method === 'POST' ? { kind: 'push', sealed: path.slice(PUSH_PATH.length) } : only('POST');
  const isOfVersion = path.startsWith('/v1/');
  if (isOfVersion ? path.startsWith(OWN_AGENTS) : NAMED_AGENTS.test(path)) return agentRoute(method, path);
  return undefined;
}

const only = (method: string): Refused => ({ kind: 'refused', status: 405, allow: [method] });
