import { pathOf, type JsonObject, type ModelCall, type Tool, type ToolChoice, type WebSearch } from '../call';
import type { LossLedger } from '../losses';
import { DIALECT, isOwn, ownOf } from './own';

const NAME = /^[A-Za-z0-9_-]{1,128}$/;

export function encodeTools(call: ModelCall, losses: LossLedger): JsonObject[] | undefined {
  return call.tools?.flatMap((tool, index) => {
    const at = tool.at ?? `${pathOf(call, 'tools')}.${String(index)}`;
    const encoded = encodeTool(tool, at, call, losses);
    return encoded === null ? [] : [encoded];
  });
}

function encodeTool(tool: Tool, at: string, call: ModelCall, losses: LossLedger): JsonObject | null {
  if (tool.cache !== undefined) losses.note(`${at}.${call.paths.parts?.cache ?? 'cache'}`);
  switch (tool.kind) {
    case 'function':
      if (!NAME.test(tool.name)) losses.refuse(`${at}.name`, NAME_RULE);
      return {
        type: 'function',
        name: tool.name,
        ...(tool.description === undefined ? {} : { description: tool.description }),
        ...encodeSchema(tool),
        ...encodeStrict(tool),
        ...ownOf(tool).rest,
      };
    case 'custom':
      if (!NAME.test(tool.name)) losses.refuse(`${at}.name`, NAME_RULE);
      return {
        type: 'custom',
        name: tool.name,
        ...(tool.description === undefined ? {} : { description: tool.description }),
        ...(tool.grammar === undefined ? {} : { format: { type: 'grammar', ...tool.grammar } }),
        ...ownOf(tool).rest,
      };
    case 'hosted':
      return encodeHosted(tool, at, losses);
  }
}

const NAME_RULE = 'The name of a tool may have letters, digits, _ and -, at most 128 in all.';

/**
 * Returns the schema of a tool. The API requires `parameters`; a tool without a schema has no
 * arguments.
 */
const encodeSchema = (tool: Tool): JsonObject =>
  tool.schema === undefined
    ? isOwn(tool)
      ? {}
      : { parameters: { type: 'object', properties: {} } }
    : { parameters: tool.schema };

/**
 * Returns `strict`, which must be written because the API validates strictly by default and other
 * dialects do not.
 */
const encodeStrict = (tool: Tool): JsonObject =>
  tool.strict === undefined ? (isOwn(tool) ? {} : { strict: false }) : { strict: tool.strict };

function encodeHosted(tool: Tool, at: string, losses: LossLedger): JsonObject | null {
  if (tool.hosted?.dialect === DIALECT) return tool.hosted.config;
  if (tool.name === 'web_search') return encodeSearch(tool.search ?? {}, at, losses);
  losses.refuse(at, 'The provider does not run this tool; remove it, or choose a target that does.');
  return null;
}

function encodeSearch(search: WebSearch, at: string, losses: LossLedger): JsonObject {
  const { contextSize, location, allowedDomains, blockedDomains, maxUses } = search;
  if (maxUses !== undefined) losses.note(`${at}.max_uses`);
  const filters = {
    ...(allowedDomains === undefined ? {} : { allowed_domains: allowedDomains }),
    ...(blockedDomains === undefined ? {} : { blocked_domains: blockedDomains }),
  };
  return {
    type: 'web_search',
    ...(contextSize === undefined ? {} : { search_context_size: contextSize }),
    ...(location === undefined ? {} : { user_location: { type: 'approximate', ...location } }),
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
  };
}

/** Returns the reference to a tool in `tool_choice`. */
function toolReference(name: string, tool: Tool | undefined): JsonObject {
  switch (tool?.kind) {
    case 'custom':
      return { type: 'custom', name };
    case 'hosted':
      return { type: tool.hosted?.dialect === DIALECT ? tool.hosted.type : name };
    case 'function':
    case undefined:
      return { type: 'function', name };
  }
}

export function encodeToolChoice(choice: ToolChoice, tools: readonly Tool[] = []): unknown {
  switch (choice.mode) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.mode;
    case 'named':
      return toolReference(
        choice.name,
        tools.find(({ name }) => name === choice.name),
      );
    case 'allowed': {
      // If several tools have the same name, the first one applies.
      const byName = new Map([...tools].reverse().map((tool) => [tool.name, tool]));
      return {
        type: 'allowed_tools',
        mode: choice.require ? 'required' : 'auto',
        tools: choice.names.map((name) => toolReference(name, byName.get(name))),
      };
    }
  }
}
