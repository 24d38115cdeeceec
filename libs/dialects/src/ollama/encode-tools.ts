import { pathOf, type JsonObject, type ModelCall, type Tool } from '../call';
import type { LossLedger } from '../losses';
import { NO_ARGUMENTS, offeredTools } from '../openai-chat/encode-tools';
import { optional } from '../values/json';
import { toolPath } from '../values/tool-paths';

/** Encodes `tools`; undefined when there are none. Ollama has no tool choice. */
export function encodeTools(call: ModelCall, losses: LossLedger): JsonObject[] | undefined {
  const { toolChoice } = call;
  const isForced =
    toolChoice?.mode === 'required' ||
    toolChoice?.mode === 'named' ||
    (toolChoice?.mode === 'allowed' && toolChoice.require);
  if (isForced)
    losses.parameter(pathOf(call, 'toolChoice'), 'The provider cannot make the model call a tool.');
  const tools = offeredTools(call).flatMap((tool) => encodeTool(tool, call, losses));
  return tools.length === 0 || toolChoice?.mode === 'none' ? undefined : tools;
}

function encodeTool(tool: Tool, call: ModelCall, losses: LossLedger): JsonObject[] {
  const { at = 'tools', name, description, schema = NO_ARGUMENTS } = tool;
  if (tool.cache !== undefined) losses.note(`${at}.cache_control`);
  if (tool.kind !== 'function') {
    if (tool.hosted?.dialect === 'ollama') return [tool.hosted.config];
    losses.refuse(
      at,
      tool.kind === 'custom'
        ? 'The provider has no custom tools with free text; use a function.'
        : `The provider does not run the tool ${name}; remove it.`,
    );
    return [];
  }
  if (tool.strict === true) losses.note(toolPath(call, tool, 'strict'));
  return [
    {
      type: 'function',
      function: { name, ...optional('description', description), parameters: schema },
    },
  ];
}
