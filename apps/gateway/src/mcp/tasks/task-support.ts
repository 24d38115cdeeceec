import { isObject } from '@gw/kernel';
import { isBridgedTool, own, type ClientCapabilities, type JsonObject } from '@gw/mcp';
import type { EndpointRequest, McpRequest } from '../mcp-request';
import type { SeenCapability } from '../server-view';

/** Whether an address announces tasks to legacy clients. */
export const hasLegacyTasks = ({ endpoint }: EndpointRequest): boolean =>
  isObject(own(endpoint.facts.capabilities, 'tasks'));

/** Returns the `task` member of a legacy client's call, if the address supports tasks. */
export function taskParam(request: EndpointRequest): { readonly task?: JsonObject } {
  const task = own(request.message.params, 'task');
  return request.era === 'legacy' && isObject(task) && hasLegacyTasks(request) ? { task } : {};
}

/**
 * Returns the capabilities to declare to a server: without tasks for legacy clients, which could
 * not read the tasks of modern servers.
 */
export const upstreamCapabilities = ({ era, capabilities }: EndpointRequest): ClientCapabilities =>
  era === 'legacy' && capabilities.tasks ? { ...capabilities, tasks: false } : capabilities;

/** Whether a modern client's call creates a task at a legacy server. */
export const isBridged = (
  { era, capabilities, view }: McpRequest,
  { facts }: Pick<SeenCapability, 'facts'>,
): boolean =>
  era === 'modern' &&
  capabilities.tasks &&
  isBridgedTool(view.document.server?.capabilities ?? {}, facts.definition);
