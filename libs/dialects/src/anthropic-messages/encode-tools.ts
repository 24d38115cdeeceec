import { pathOf, type JsonObject, type ModelCall, type Tool, type ToolChoice, type WebSearch } from '../call';
import type { LossLedger } from '../losses';
import { closedSchema } from '../schema/anthropic-schema';
import type { Target } from '../target';
import { compact } from '../values/json';
import { anthropicTool } from './chat-extensions';
import type { CacheMarks } from './cache-marks';
import { TOOL_NAME } from './encode-parts';
import { own } from './paths';

/** Maximum number of tools with `strict` in a request. */
const STRICT_MAX = 20;
/** Version of web search that every model supports. */
const WEB_SEARCH = 'web_search_20250305';

export interface EncodedTools {
  readonly tools?: JsonObject[];
  readonly tool_choice?: JsonObject;
}

/**
 * Encodes the tools and the choice among them. Anthropic refuses an empty list, and a choice
 * without tools.
 */
export function encodeTools(
  call: ModelCall,
  target: Target,
  losses: LossLedger,
  marks: CacheMarks,
): EncodedTools {
  const sent = allowedTools(call, losses);
  let strict = 0;
  const tools: JsonObject[] = [];
  for (const tool of sent) {
    const isStrict = tool.strict === true && target.capabilities.jsonSchema && strict < STRICT_MAX;
    const encoded = encodeTool(tool, isStrict, call, losses, target);
    if (encoded === null) continue;
    if (encoded['strict'] === true) strict += 1;
    marks.add(encoded, tool.cache, `${atOf(tool, call)}.cache_control`, true);
    tools.push(encoded);
  }
  const choice = encodeChoice(call, sent.length > 0, losses);
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...(choice === null ? {} : { tool_choice: choice }),
  };
}

const atOf = (tool: Tool, call: ModelCall): string => tool.at ?? pathOf(call, 'tools');

/**
 * Returns the tools that the model may call. An allowed subset is sent alone, because Anthropic has
 * no such choice.
 */
function allowedTools(call: ModelCall, losses: LossLedger): readonly Tool[] {
  const { tools = [], toolChoice } = call;
  if (toolChoice?.mode !== 'allowed') return tools;
  const names = new Set(toolChoice.names);
  const allowed = tools.filter(({ name }) => names.has(name));
  if (allowed.length === 0)
    losses.refuse(pathOf(call, 'toolChoice'), 'None of the allowed tools is among the tools.');
  return allowed;
}

function encodeTool(
  tool: Tool,
  isStrict: boolean,
  call: ModelCall,
  losses: LossLedger,
  target: Target,
): JsonObject | null {
  switch (tool.kind) {
    case 'function':
      return functionTool(tool, isStrict, call, losses, target);
    case 'custom':
      losses.refuse(atOf(tool, call), 'Anthropic has no tools with free text as arguments.');
      return null;
    case 'hosted':
      return hostedTool(tool, call, losses);
  }
}

function functionTool(
  tool: Tool,
  isStrict: boolean,
  call: ModelCall,
  losses: LossLedger,
  target: Target,
): JsonObject | null {
  if (!TOOL_NAME.test(tool.name)) {
    const rule = 'Anthropic takes tool names of 1 to 128 letters, digits, _ and - only.';
    losses.refuse(`${atOf(tool, call)}.name`, rule);
    return null;
  }
  const given = inputSchema(tool.schema);
  const closed = isStrict ? closedSchema(given) : null;
  const isEnforced = closed !== null && !('refused' in closed);
  if (tool.strict === true && !isEnforced) losses.note(`${atOf(tool, call)}.strict`);
  if (isEnforced && closed.relaxed) losses.note(atOf(tool, call), 'relaxed');
  const isOpen = tool.strict === false && target.capabilities.jsonSchema;
  return compact({
    name: tool.name,
    description: tool.description,
    input_schema: isEnforced ? closed.schema : given,
    strict: isEnforced ? true : isOpen ? false : undefined,
    ...own(tool),
  });
}

/** Returns the input schema of a tool, with the type `object` that Anthropic requires. */
function inputSchema(schema: JsonObject | undefined): JsonObject {
  if (schema === undefined || Object.keys(schema).length === 0) return { type: 'object', properties: {} };
  return schema['type'] === undefined ? { type: 'object', ...schema } : schema;
}

function hostedTool(tool: Tool, call: ModelCall, losses: LossLedger): JsonObject | null {
  const given = anthropicTool(tool);
  if (given !== null) return given;
  if (tool.search !== undefined) return webSearch(tool.search, atOf(tool, call), losses);
  losses.refuse(atOf(tool, call), `Anthropic has no equivalent of the tool ${tool.name}.`);
  return null;
}

function webSearch(search: WebSearch, at: string, losses: LossLedger): JsonObject {
  const { location, allowedDomains, blockedDomains, maxUses, contextSize } = search;
  if (contextSize !== undefined) losses.note(`${at}.search_context_size`);
  const hasBoth = allowedDomains !== undefined && blockedDomains !== undefined;
  if (hasBoth)
    losses.parameter(`${at}.blocked_domains`, 'Anthropic takes allowed or blocked domains, not both.');
  return compact({
    type: WEB_SEARCH,
    name: 'web_search',
    max_uses: maxUses,
    allowed_domains: allowedDomains,
    blocked_domains: hasBoth ? undefined : blockedDomains,
    user_location: location === undefined ? undefined : { type: 'approximate', ...location },
  });
}

function encodeChoice(call: ModelCall, hasTools: boolean, losses: LossLedger): JsonObject | null {
  const { toolChoice, parallelTools } = call;
  if (!hasTools) {
    const isNeutral = toolChoice === undefined || toolChoice.mode === 'auto' || toolChoice.mode === 'none';
    if (!isNeutral && toolChoice.mode !== 'allowed')
      losses.parameter(pathOf(call, 'toolChoice'), 'A tool must be called, but there are no tools.');
    return null;
  }
  if (toolChoice === undefined)
    return parallelTools === false ? { type: 'auto', disable_parallel_tool_use: true } : null;
  const choice = choiceOf(toolChoice);
  return toolChoice.mode === 'none' || parallelTools === undefined
    ? choice
    : { ...choice, disable_parallel_tool_use: !parallelTools };
}

function choiceOf(choice: ToolChoice): JsonObject {
  switch (choice.mode) {
    case 'auto':
      return { type: 'auto' };
    case 'none':
      return { type: 'none' };
    case 'required':
      return { type: 'any' };
    case 'named':
      return { type: 'tool', name: choice.name };
    case 'allowed':
      return { type: choice.require ? 'any' : 'auto' };
  }
}

/** Returns whether the model must call a tool. */
export const isForced = ({ toolChoice }: ModelCall): boolean =>
  toolChoice?.mode === 'required' ||
  toolChoice?.mode === 'named' ||
  (toolChoice?.mode === 'allowed' && toolChoice.require);
