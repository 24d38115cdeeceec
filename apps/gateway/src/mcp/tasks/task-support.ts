import { isObject } from '@gw/kernel';
import { isBridgedTool, own, type ClientCapabilities, type JsonObject } from '@gw/mcp';
import type { EndpointRequest, McpRequest } from '../mcp-request';
import type { SeenCapability } from '../server-view';

/** Whether an address announces tasks to clients with sessions. */
export const hasLegacyTasks = ({ endpoint }: EndpointRequest): boolean =>
  isObject(own(endpoint.facts.capabilities, 'tasks'));

/** `task` of a call of a client with a session, where the address has tasks. */
export function taskParam(request: EndpointRequest): { readonly task?: JsonObject } {
  const task = own(request.message.params, 'task');
  return request.era === 'legacy' && isObject(task) && hasLegacyTasks(request) ? { task } : {};
}

/** Tasks of servers without sessions are not for clients with sessions, which could not read them. */
export const upstreamCapabilities = ({ era, capabilities }: EndpointRequest): ClientCapabilities =>
  era === 'legacy' && capabilities.tasks ? { ...capabilities, tasks: false } : capabilities;

/** Whether a call makes a task of a server with sessions for a client without. */
export const isBridged = (
  { era, capabilities, view }: McpRequest,
  { facts }: Pick<SeenCapability, 'facts'>,
): boolean =>
  era === 'modern' &&
  capabilities.tasks &&
  isBridgedTool(view.document.server?.capabilities ?? {}, facts.definition);
