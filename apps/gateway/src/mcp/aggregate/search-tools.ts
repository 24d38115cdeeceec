import {
  CODES,
  calledTool,
  McpFault,
  own,
  ownObject,
  resultBody,
  toModernResult,
  type JsonObject,
} from '@gw/mcp';
import type { EndpointRequest } from '../mcp-request';
import { AggregateView } from './aggregate-view';

const LIMIT_DEFAULT = 10;
/** Maximum characters of the definitions in one response; the best match is always included. */
const CHARACTERS_MAX = 262_144;

/**
 * Returns the response to a call of `search_tools`; null for every other call. Throws `McpFault`
 * for arguments that are not valid.
 */
export function searchBody({ endpoint, message, era }: EndpointRequest): JsonObject | null {
  const isSearch = endpoint.isSearched && own(message.params, 'name') === 'search_tools';
  if (!isSearch || !(endpoint instanceof AggregateView)) return null;
  const args = ownObject(message.params, 'arguments');
  const [query, limit] = [own(args, 'query'), own(args, 'limit') ?? LIMIT_DEFAULT];
  if (typeof query !== 'string' || query === '')
    throw invalid('search_tools needs the argument query: words for what the tool does.');
  if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < 1 || limit > 50)
    throw invalid('The argument limit of search_tools must be an integer from 1 to 50.');
  const tools = withinLength(endpoint.search(query, limit).map(({ definition }) => shownOf(definition)));
  const result = {
    content: [{ type: 'text', text: JSON.stringify({ tools }) }],
    structuredContent: { tools },
  };
  const { serverInfo, ttlMs } = endpoint.facts;
  return resultBody(
    message.id,
    era === 'legacy'
      ? result
      : toModernResult(message.method, result, { serverInfo, ttlMs, isFiltered: true }),
  );
}

/**
 * Returns the params of the call that a client makes directly or through `call_tool`. Throws
 * `McpFault` for arguments of `call_tool` that are not valid.
 */
export function calledParams({ endpoint, message }: EndpointRequest): JsonObject {
  if (!endpoint.isSearched || own(message.params, 'name') !== 'call_tool') return message.params;
  const params = calledTool(ownObject(message.params, 'arguments'));
  if (params !== null) return params;
  throw invalid('call_tool needs name, a tool that search_tools returned, and arguments, an object.');
}

const shownOf = (definition: JsonObject): JsonObject => {
  const { name, title, description, inputSchema, annotations } = definition;
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(annotations !== undefined && { annotations }),
  };
};

/** Returns as many of the first definitions as fit into `CHARACTERS_MAX`, and at least one. */
function withinLength(tools: readonly JsonObject[]): readonly JsonObject[] {
  let characters = 0;
  return tools.filter((tool, at) => {
    characters += JSON.stringify(tool).length;
    return at === 0 || characters <= CHARACTERS_MAX;
  });
}

const invalid = (message: string): McpFault => new McpFault(CODES.invalidParams, message);
