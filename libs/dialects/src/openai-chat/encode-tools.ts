import type { JsonObject, ModelCall, Tool, ToolChoice, WebSearch } from '../call';
import type { LossLedger } from '../losses';
import { compact, optional } from '../values/json';
import type { ChatForm } from './form';

/** Schema of a function without arguments, for dialects that require one. */
export const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {} };

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function encodeTools(call: ModelCall, losses: LossLedger, form: ChatForm): JsonObject {
  const members: JsonObject = {};
  const tools: JsonObject[] = [];
  for (const tool of form.isOpenAi ? (call.tools ?? []) : offeredTools(call)) {
    if (tool.search !== undefined && form.isOpenAi)
      members['web_search_options'] = webSearchOptions(tool.search, tool.at ?? 'tools', losses);
    else {
      const encoded = encodeTool(tool, losses, form);
      if (encoded !== null) tools.push(encoded);
    }
  }
  if (tools.length > 0) members['tools'] = tools;
  if (call.toolChoice !== undefined)
    members['tool_choice'] = encodeToolChoice(call.toolChoice, tools.length > 0, form, call);
  if (call.parallelTools !== undefined && tools.length > 0)
    members['parallel_tool_calls'] = call.parallelTools;
  return compact(members);
}

/** Returns the tools that the model may call, for dialects that cannot name a subset of them. */
export function offeredTools({ tools = [], toolChoice }: ModelCall): readonly Tool[] {
  if (toolChoice?.mode !== 'allowed') return tools;
  const names = new Set(toolChoice.names);
  return tools.filter(({ name }) => names.has(name));
}

function encodeTool(tool: Tool, losses: LossLedger, form: ChatForm): JsonObject | null {
  const { at = 'tools' } = tool;
  switch (tool.kind) {
    case 'function':
      return functionTool(tool, at, losses, form);
    case 'custom':
      if (!form.isOpenAi) {
        losses.refuse(at, 'The provider has no custom tools with free text; use a function.');
        return null;
      }
      return {
        type: 'custom',
        custom: {
          name: tool.name,
          ...optional('description', tool.description),
          ...(tool.grammar === undefined ? {} : { format: { type: 'grammar', grammar: tool.grammar } }),
          ...tool.x?.['openai-chat'],
        },
      };
    case 'hosted':
      if (tool.hosted?.dialect === form.dialect) return tool.hosted.config;
      losses.refuse(at, `The provider does not run the tool ${tool.name}; remove it.`);
      return null;
  }
}

function functionTool(tool: Tool, at: string, losses: LossLedger, form: ChatForm): JsonObject {
  const own = tool.x?.[form.dialect];
  if (tool.cache !== undefined && own === undefined) losses.note(`${at}.cache_control`);
  if (!NAME.test(tool.name)) {
    losses.refuse(
      `${at}.name`,
      'A tool name has at most 64 letters, digits, underscores and hyphens at this provider.',
    );
  }
  return {
    type: 'function',
    function: {
      name: tool.name,
      ...optional('description', tool.description),
      ...optional('parameters', form.isOpenAi ? tool.schema : (tool.schema ?? NO_ARGUMENTS)),
      ...optional('strict', tool.strict),
    },
    ...own,
  };
}

/** Encodes the tool choice; a choice without tools has no effect and is left out. */
function encodeToolChoice(
  choice: ToolChoice,
  hasTools: boolean,
  form: ChatForm,
  { tools }: Pick<ModelCall, 'tools'>,
): unknown {
  if (!hasTools && (choice.mode === 'auto' || choice.mode === 'none')) return undefined;
  const required = form.isOpenAi ? 'required' : 'any';
  switch (choice.mode) {
    case 'auto':
    case 'none':
      return choice.mode;
    case 'required':
      return required;
    case 'named':
      return toolReference(choice.name, customNames(tools));
    case 'allowed':
      if (form.isOpenAi) return allowedTools(choice, tools);
      return choice.require ? required : 'auto';
  }
}

function allowedTools(
  { require, names }: Extract<ToolChoice, { mode: 'allowed' }>,
  tools: ModelCall['tools'],
): JsonObject {
  const custom = customNames(tools);
  return {
    type: 'allowed_tools',
    allowed_tools: {
      mode: require ? 'required' : 'auto',
      tools: names.map((name) => toolReference(name, custom)),
    },
  };
}

const customNames = (tools: ModelCall['tools'] = []): ReadonlySet<string> =>
  new Set(tools.filter(({ kind }) => kind === 'custom').map(({ name }) => name));

/** Returns the reference to a tool in `tool_choice`. */
const toolReference = (name: string, custom: ReadonlySet<string>): JsonObject =>
  custom.has(name) ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };

function webSearchOptions(search: WebSearch, at: string, losses: LossLedger): JsonObject {
  if (search.maxUses !== undefined) losses.note(`${at}.max_uses`);
  if (search.allowedDomains !== undefined)
    losses.parameter(`${at}.allowed_domains`, 'The provider cannot limit searches to domains.');
  if (search.blockedDomains !== undefined)
    losses.parameter(`${at}.blocked_domains`, 'The provider cannot exclude domains from searches.');
  return {
    ...optional('search_context_size', search.contextSize),
    ...(search.location === undefined
      ? {}
      : { user_location: { type: 'approximate', approximate: { ...search.location } } }),
  };
}
