import { asObject, asString } from '@gw/dialects';
import type { DroppedParams } from '../../losses';
import type { JsonObject } from '../../provider';
import { refuse } from './refuse';

/**
 * Translates chat tools. Anthropic's own tools (`web_search_…`) pass through; null when none is
 * left.
 */
export function toTools(value: unknown, losses: DroppedParams): JsonObject[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) throw refuse('tools', 'tools must be a list.');
  const tools = value.flatMap((item: unknown, index) => {
    const tool = asObject(item);
    const path = `tools.${String(index)}`;
    if (tool === null) throw refuse(path, 'A tool must be an object.');
    if (tool['type'] === 'function') return [functionTool(tool, path)];
    if (!isFreeText(tool)) return [tool];
    losses.leaveOut(path, 'Anthropic does not support custom tools with free-form input.');
    return [];
  });
  return tools.length === 0 && value.length > 0 ? null : tools;
}

/**
 * OpenAI's custom tools and choices have their name in `custom`; Anthropic has its own type of this
 * name.
 */
const isFreeText = (value: JsonObject): boolean =>
  value['type'] === 'custom' && asObject(value['custom']) !== null;

function functionTool(tool: JsonObject, path: string): JsonObject {
  const declared = asObject(tool['function']);
  const name = asString(declared?.['name']);
  if (declared === null || name === null)
    throw refuse(`${path}.function.name`, 'A function must have a name.');
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

/** Translates `tool_choice` and `parallel_tool_calls`, which Anthropic keeps in one object. */
export function toToolChoice(body: JsonObject, hasTools: boolean, losses: DroppedParams): JsonObject {
  const choice = readChoice(body['tool_choice'], losses);
  const isDropped = !hasTools && Array.isArray(body['tools']);
  // Anthropic refuses a choice without any tools.
  if (isDropped) return {};
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

function readChoice(value: unknown, losses: DroppedParams): JsonObject | null {
  if (value === undefined || value === null) return null;
  const named =
    typeof value === 'string' && Object.hasOwn(NAMED_CHOICES, value) ? NAMED_CHOICES[value] : null;
  if (named) return named;
  const choice = asObject(value) ?? {};
  if (isFreeText(choice)) {
    losses.leaveOut('tool_choice', 'Anthropic does not support custom tools with free-form input.');
    return null;
  }
  const read = choice['type'] === 'function' ? namedFunction(choice) : ownChoice(choice);
  if (read !== null) return read;
  throw refuse('tool_choice', 'tool_choice must be auto, none, required or a function with a name.');
}

function namedFunction(choice: JsonObject): JsonObject | null {
  const name = asString(asObject(choice['function'])?.['name']);
  return name === null ? null : { type: 'tool', name };
}

const ownChoice = (choice: JsonObject): JsonObject | null =>
  OWN_CHOICES.has(choice['type']) ? choice : null;
