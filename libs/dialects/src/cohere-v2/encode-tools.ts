import { pathOf, type JsonObject, type ModelCall, type Tool } from '../call';
import type { LossLedger } from '../losses';
import { NO_ARGUMENTS, offeredTools } from '../openai-chat/encode-tools';
import { optional } from '../values/json';
import { toolPath } from '../values/tool-paths';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Encodes `tools`, `tool_choice` and `strict_tools`. */
export function encodeTools(call: ModelCall, losses: LossLedger): JsonObject {
  const { toolChoice } = call;
  const offered =
    toolChoice?.mode === 'named'
      ? (call.tools ?? []).filter(({ name }) => name === toolChoice.name)
      : offeredTools(call);
  const tools = offered.flatMap((tool) => encodeTool(tool, call, losses));
  const choice = encodeChoice(call, tools.length > 0, losses);
  if (tools.length === 0) return {};
  return {
    tools,
    ...optional('tool_choice', choice),
    ...(areStrict(offered, call, losses) ? { strict_tools: true } : {}),
  };
}

function encodeTool(tool: Tool, call: ModelCall, losses: LossLedger): JsonObject[] {
  const { at = 'tools' } = tool;
  if (tool.cache !== undefined) losses.note(`${at}.cache_control`);
  if (tool.kind !== 'function') {
    if (tool.hosted?.dialect === 'cohere-v2') return [tool.hosted.config];
    losses.refuse(
      at,
      tool.kind === 'custom'
        ? 'The provider has no custom tools with free text; use a function.'
        : `The provider does not run the tool ${tool.name}; remove it.`,
    );
    return [];
  }
  if (!NAME.test(tool.name)) {
    losses.refuse(
      toolPath(call, tool, 'name'),
      'A tool name has at most 64 letters, digits, underscores and hyphens at this provider.',
    );
  }
  const { name, description, schema = NO_ARGUMENTS } = tool;
  return [
    {
      type: 'function',
      function: { name, ...optional('description', description), parameters: schema },
      ...tool.x?.['cohere-v2'],
    },
  ];
}

/** Returns whether tools are strict; Cohere can make all tools strict, or none. */
function areStrict(tools: readonly Tool[], call: ModelCall, losses: LossLedger): boolean {
  const strict = tools.filter((tool) => tool.strict === true);
  if (strict.length === tools.length) return true;
  for (const tool of strict) losses.note(toolPath(call, tool, 'strict'));
  return false;
}

/**
 * Encodes the tool choice. A choice that requires a call needs tools; any other choice without
 * tools has no effect and is left out.
 */
function encodeChoice(call: ModelCall, hasTools: boolean, losses: LossLedger): string | undefined {
  const { toolChoice } = call;
  switch (toolChoice?.mode) {
    case undefined:
    case 'auto':
      return undefined;
    case 'none':
      return 'NONE';
    case 'required':
    case 'named':
      break;
    case 'allowed':
      if (!toolChoice.require) return undefined;
  }
  if (!hasTools) {
    losses.refuse(
      pathOf(call, 'toolChoice'),
      'A tool call is required, but the request has no tool that may be called.',
    );
  }
  return 'REQUIRED';
}
