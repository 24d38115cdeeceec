import type { Keyring } from '@gw/kernel';
import {
  listPage,
  own,
  resultBody,
  strictListFault,
  toLegacyTools,
  toModernResult,
  unavailableMeta,
  type JsonObject,
} from '@gw/mcp';
import type { EndpointRequest } from './mcp-request';
import { hasLegacyTasks } from './tasks/task-support';

const LISTS = {
  'tools/list': { type: 'tool', member: 'tools' },
  'prompts/list': { type: 'prompt', member: 'prompts' },
  'resources/list': { type: 'resource', member: 'resources' },
  'resources/templates/list': { type: 'resource_template', member: 'resourceTemplates' },
} as const;
export type ListMethod = keyof typeof LISTS;

export const isList = (method: string): method is ListMethod => Object.hasOwn(LISTS, method);

const PAGE_SIZE = 100;

/**
 * Returns the response to a list request: the approved capabilities that the caller sees, without a
 * call to a server. Throws a fault for a cursor that is not valid, and for a strict toolset while
 * one of its servers is unavailable.
 */
export function listBody(request: EndpointRequest, method: ListMethod, ring: Keyring): JsonObject {
  const { endpoint, message, era, capabilities } = request;
  const { type, member } = LISTS[method];
  const { unavailable } = endpoint;
  if (endpoint.isStrict && unavailable.length > 0) throw strictListFault(unavailable);
  const page = listPage(endpoint.lists(type), {
    ring,
    owner: {
      list: `${method}/${endpoint.id}`,
      principal: endpoint.caller.binding,
      filter: '',
    },
    pageSize: PAGE_SIZE,
    cursor: own(message.params, 'cursor'),
  });
  const items = page.items.map((shown) => endpoint.definition(type, shown));
  const shown =
    era === 'legacy' && type === 'tool'
      ? toLegacyTools(items, { tasks: capabilities.tasks || hasLegacyTasks(request) })
      : items;
  const result = {
    [member]: shown,
    ...(page.nextCursor !== null && { nextCursor: page.nextCursor }),
    ...(unavailable.length > 0 && { _meta: unavailableMeta(unavailable) }),
  };
  if (era === 'legacy') return resultBody(message.id, result);
  const { serverInfo, ttlMs } = endpoint.facts;
  return resultBody(message.id, toModernResult(method, result, { serverInfo, ttlMs, isFiltered: true }));
}
