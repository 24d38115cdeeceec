import { asObject, asString } from '../../dialects/json';
import type { JsonObject } from '../../provider';
import { refuse } from './refuse';

/** Chat tools as Anthropic's; a tool that is Anthropic's own already (`web_search_…`) passes through. Null: none given. */
export function toTools(value: unknown): JsonObject[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) throw refuse('tools', 'tools must be a list.');
  return value.map((item: unknown, index) => {
    const tool = asObject(item);
    const path = `tools.${String(index)}`;
    if (tool === null) throw refuse(path, 'A tool must be an object.');
    return tool['type'] === 'function' ? functionTool(tool, path) : tool;
  });
}

function functionTool(tool: JsonObject, path: string): JsonObject {
  const declared = asObject(tool['function']);
  const name = asString(declared?.['name']);
  if (declared === null || name === null) throw refuse(`${path}.function.name`, 'A function has a name.');
  const { description, parameters, strict } = declared;
  const cacheControl = tool['cache_control'] ?? declared['cache_control'];
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    input_schema: parameters ?? { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' ? { strict } : {}),
    ...(cacheControl === undefined ? {} : { cache_control: cacheControl }),
  };
}

/** `tool_choice` and `parallel_tool_calls`, which Anthropic keeps in one object. */
export function toToolChoice(body: JsonObject, hasTools: boolean): JsonObject {
  const choice = readChoice(body['tool_choice']);
  const oneAtATime = body['parallel_tool_calls'] === false && hasTools;
  if (choice === null) {
    return oneAtATime ? { tool_choice: { type: 'auto', disable_parallel_tool_use: true } } : {};
  }
  const disable = oneAtATime && choice['type'] !== 'none' ? { disable_parallel_tool_use: true } : {};
  return { tool_choice: { ...choice, ...disable } };
}

const NAMED_CHOICES: Readonly<Record<string, JsonObject>> = {
  auto: { type: 'auto' },
  none: { type: 'none' },
  required: { type: 'any' },
};
const OWN_CHOICES: ReadonlySet<unknown> = new Set(['auto', 'any', 'tool', 'none']);

function readChoice(value: unknown): JsonObject | null {
  if (value === undefined || value === null) return null;
  const named =
    typeof value === 'string' && Object.hasOwn(NAMED_CHOICES, value) ? NAMED_CHOICES[value] : null;
  if (named) return named;
  const choice = asObject(value);
  if (choice?.['type'] === 'function') {
    const name = asString(asObject(choice['function'])?.['name']);
    if (name !== null) return { type: 'tool', name };
  }
  if (choice !== null && OWN_CHOICES.has(choice['type'])) return choice;
  throw refuse('tool_choice', 'tool_choice must be auto, none, required or a function by its name.');
}
