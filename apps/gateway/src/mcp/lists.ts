import type { Keyring } from '@gw/kernel';
import { listPage, own, resultBody, toLegacyTools, toModernResult, type JsonObject } from '@gw/mcp';
import type { McpRequest } from './mcp-request';

const LISTS = {
  'tools/list': { type: 'tool', member: 'tools' },
  'prompts/list': { type: 'prompt', member: 'prompts' },
  'resources/list': { type: 'resource', member: 'resources' },
  'resources/templates/list': { type: 'resource_template', member: 'resourceTemplates' },
} as const;
export type ListMethod = keyof typeof LISTS;

export const isList = (method: string): method is ListMethod => Object.hasOwn(LISTS, method);

const PAGE_SIZE = 100;

/** The response to a list: what the caller sees of the approved snapshot, without a call to the server. */
export function listBody(request: McpRequest, method: ListMethod, ring: Keyring): JsonObject {
  const { view, message, era, capabilities } = request;
  const { type, member } = LISTS[method];
  const items = view.definitions(type);
  const page = listPage([{ server: view.document.slug, version: view.document.version, items }], {
    ring,
    owner: {
      list: `${method}/${view.document.id}`,
      principal: view.caller.binding,
      filter: '',
    },
    pageSize: PAGE_SIZE,
    cursor: own(message.params, 'cursor'),
  });
  const shown =
    era === 'legacy' && type === 'tool'
      ? toLegacyTools(page.items, { tasks: capabilities.tasks })
      : page.items;
  const result = { [member]: shown, ...(page.nextCursor !== null && { nextCursor: page.nextCursor }) };
  if (era === 'legacy') return resultBody(message.id, result);
  const { serverInfo, ttlMs } = view.facts;
  return resultBody(message.id, toModernResult(method, result, { serverInfo, ttlMs, isFiltered: true }));
}
