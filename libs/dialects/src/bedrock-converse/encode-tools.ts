import { isForced } from '../anthropic-messages/encode-tools';
import { pathOf, type JsonObject, type ModelCall, type Tool, type ToolChoice, type WebSearch } from '../call';
import { closedSchema } from '../schema/anthropic-schema';
import { compact } from '../values/json';
import type { CachePoints } from './cache-points';
import type { MediaFacts } from './encode-media';
import { NAME_RULE, TOOL_NAME } from './encode-parts';
import type { BedrockModel } from './models';

export interface EncodedTools {
  readonly toolConfig?: JsonObject;
  /** Claude's own tool choice, which alone can forbid parallel calls. */
  readonly claudeChoice?: JsonObject;
}

/** Encodes the tools; their cache points come before those of the messages. */
export function encodeToolList(facts: MediaFacts, points: CachePoints): JsonObject[] {
  const { call, losses, model } = facts;
  const list: JsonObject[] = [];
  for (const tool of offeredTools(facts)) {
    const encoded = encodeTool(tool, facts);
    if (encoded === null) continue;
    list.push(encoded);
    const path = `${atOf(tool, call)}.cache_control`;
    if (model.toolCache) points.add(list, tool.cache, path, true);
    else if (tool.cache !== undefined) losses.note(path);
  }
  return list;
}

const atOf = (tool: Tool, call: ModelCall): string => tool.at ?? pathOf(call, 'tools');

/**
 * Returns the tools that the model may call. A subset, or a named tool of a model without that
 * choice, is sent alone.
 */
function offeredTools({ call, losses, model }: MediaFacts): readonly Tool[] {
  const { tools = [], toolChoice } = call;
  if (toolChoice?.mode === 'named' && model.toolChoice === 'any')
    return tools.filter(({ name }) => name === toolChoice.name);
  if (toolChoice?.mode !== 'allowed') return tools;
  const names = new Set(toolChoice.names);
  const allowed = tools.filter(({ name }) => names.has(name));
  if (allowed.length === 0)
    losses.refuse(pathOf(call, 'toolChoice'), 'None of the allowed tools is among the tools.');
  return allowed;
}

function encodeTool(tool: Tool, facts: MediaFacts): JsonObject | null {
  const { call, losses } = facts;
  switch (tool.kind) {
    case 'function':
      return functionTool(tool, facts);
    case 'custom':
      losses.refuse(atOf(tool, call), 'Bedrock has no tools with free text as arguments.');
      return null;
    case 'hosted':
      return hostedTool(tool, facts);
  }
}

function functionTool(tool: Tool, { call, losses, model }: MediaFacts): JsonObject | null {
  const at = atOf(tool, call);
  if (!TOOL_NAME.test(tool.name)) {
    losses.refuse(at, NAME_RULE);
    return null;
  }
  const given = inputSchema(tool.schema);
  const strict = tool.strict === true ? strictSchema(given, model) : null;
  if (tool.strict === true && strict === null) losses.note(`${at}.strict`);
  if (strict?.relaxed === true) losses.note(at, 'relaxed');
  return {
    toolSpec: compact({
      name: tool.name,
      description: tool.description === '' ? undefined : tool.description,
      inputSchema: { json: strict?.schema ?? given },
      strict: strict === null ? undefined : true,
    }),
  };
}

/** Returns the schema that the model enforces; null when it cannot. */
function strictSchema(
  schema: JsonObject,
  model: BedrockModel,
): { readonly schema: JsonObject; readonly relaxed: boolean } | null {
  if (!model.textFormat) return null;
  if (model.family !== 'claude') return { schema, relaxed: false };
  const closed = closedSchema(schema);
  return 'refused' in closed ? null : closed;
}

/** Returns the input schema of a tool, which must describe an object. */
function inputSchema(schema: JsonObject | undefined): JsonObject {
  if (schema === undefined || Object.keys(schema).length === 0) return { type: 'object', properties: {} };
  return schema['type'] === undefined ? { type: 'object', ...schema } : schema;
}

/** Encodes a tool that Bedrock runs; only Nova models have them. */
function hostedTool(tool: Tool, { call, losses, model }: MediaFacts): JsonObject | null {
  const at = atOf(tool, call);
  if (tool.search !== undefined && model.family === 'nova') {
    noteSearch(tool.search, at, losses);
    return { systemTool: { name: 'nova_grounding' } };
  }
  losses.refuse(at, `The model has no equivalent of the tool ${tool.name}.`);
  return null;
}

function noteSearch(search: WebSearch, at: string, losses: MediaFacts['losses']): void {
  const { contextSize, location, maxUses, allowedDomains = [], blockedDomains = [] } = search;
  if (contextSize !== undefined) losses.note(`${at}.search_context_size`);
  if (location !== undefined) losses.note(`${at}.user_location`);
  if (maxUses !== undefined) losses.note(`${at}.max_uses`);
  if (allowedDomains.length + blockedDomains.length > 0)
    losses.parameter(`${at}.filters`, "Nova's search cannot be limited to domains.");
}

/**
 * Encodes the tools and the choice. Bedrock requires the tools of the history in each request that
 * has calls or results.
 */
export function encodeTools(
  list: readonly JsonObject[],
  hasToolBlocks: boolean,
  facts: MediaFacts,
): EncodedTools {
  const { call, losses } = facts;
  const { toolChoice } = call;
  const path = pathOf(call, 'toolChoice');
  if (list.length === 0) {
    refuseChoiceWithoutTools(facts);
    return hasToolBlocks ? { toolConfig: { tools: historyTools(facts) } } : {};
  }
  if (toolChoice?.mode !== 'none') return withChoice(list, facts);
  if (!hasToolBlocks) return {};
  losses.note(path, 'approximated', 'auto');
  return { toolConfig: { tools: list } };
}

function refuseChoiceWithoutTools({ call, losses }: MediaFacts): void {
  const { toolChoice } = call;
  if (toolChoice === undefined || toolChoice.mode === 'auto' || toolChoice.mode === 'allowed') return;
  if (toolChoice.mode === 'none') return;
  losses.parameter(pathOf(call, 'toolChoice'), 'A tool must be called, but there are no tools.');
}

/** Creates a tool for each tool name in the history. */
function historyTools({ call, losses }: MediaFacts): JsonObject[] {
  const names = new Set<string>();
  for (const { parts } of call.turns)
    for (const part of parts) if (part.kind === 'tool_call') names.add(part.name);
  losses.note(pathOf(call, 'tools'), 'generated');
  if (call.toolChoice?.mode === 'none') losses.note(pathOf(call, 'toolChoice'), 'approximated', 'auto');
  return [...names].map((name) => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } }));
}

function withChoice(tools: readonly JsonObject[], facts: MediaFacts): EncodedTools {
  const { call, losses, model } = facts;
  const choice = choiceOf(call.toolChoice, facts);
  if (call.parallelTools !== false)
    return { toolConfig: choice === undefined ? { tools } : { tools, toolChoice: choice } };
  if (model.family === 'claude')
    return {
      toolConfig: { tools },
      claudeChoice: { ...claudeChoice(call.toolChoice), disable_parallel_tool_use: true },
    };
  losses.parameter(pathOf(call, 'parallelTools'), 'The model may call several tools at a time.');
  return { toolConfig: choice === undefined ? { tools } : { tools, toolChoice: choice } };
}

function choiceOf(
  choice: ToolChoice | undefined,
  { call, losses, model }: MediaFacts,
): JsonObject | undefined {
  if (choice === undefined || choice.mode === 'none') return undefined;
  if (!isForced(call)) return { auto: {} };
  if (model.toolChoice === 'auto') {
    losses.parameter(
      pathOf(call, 'toolChoice'),
      'The model decides itself whether it calls a tool.',
      'approximated',
      'auto',
    );
    return { auto: {} };
  }
  return choice.mode === 'named' && model.toolChoice === 'all'
    ? { tool: { name: choice.name } }
    : { any: {} };
}

function claudeChoice(choice: ToolChoice | undefined): JsonObject {
  switch (choice?.mode) {
    case undefined:
    case 'auto':
    case 'none':
      return { type: 'auto' };
    case 'required':
      return { type: 'any' };
    case 'named':
      return { type: 'tool', name: choice.name };
    case 'allowed':
      return { type: choice.require ? 'any' : 'auto' };
  }
}
