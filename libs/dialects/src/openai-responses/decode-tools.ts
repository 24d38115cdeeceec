import type { JsonObject, Tool, ToolChoice, WebSearch } from '../call';
import { invalid } from '../losses';
import { asObject, asString, compact, membersBesides, optional, read, required } from '../values/json';
import { DIALECT, withOwn } from './own';

const FUNCTION = new Set(['type', 'name', 'description', 'parameters', 'strict']);
const CUSTOM = new Set(['type', 'name', 'description', 'format']);
/** Maximum number of tools of a call. */
const TOOLS_MAX = 2_000;

/**
 * Returns whether a hosted tool of this type searches the web; the type may end with a date or
 * `_preview`.
 */
export const isWebSearch = (type: string): boolean => type.startsWith('web_search');

export function decodeTools(value: unknown): Tool[] | undefined {
  const tools = read.objects(value, 'tools');
  if (tools !== undefined && tools.length > TOOLS_MAX) {
    throw invalid('tools', `tools may have at most ${String(TOOLS_MAX)} items.`);
  }
  return tools?.map((tool, index) => decodeTool(tool, `tools.${String(index)}`));
}

/** Decodes a tool, also one of a namespace. */
export function decodeTool(tool: JsonObject, at: string): Tool {
  const type = required(read.string(tool['type'], `${at}.type`), `${at}.type`, 'the type of the tool');
  switch (type) {
    case 'function':
      return decodeFunction(tool, at);
    case 'custom':
      return {
        kind: 'custom',
        name: nameOf(tool, at),
        ...optional('description', read.string(tool['description'], `${at}.description`)),
        ...optional('grammar', decodeGrammar(tool['format'], `${at}.format`)),
        at,
        ...withOwn({ rest: customRest(tool) }),
      };
    default:
      return {
        kind: 'hosted',
        name: isWebSearch(type) ? 'web_search' : type,
        hosted: { dialect: DIALECT, type, config: tool },
        ...(isWebSearch(type) ? { search: decodeSearch(tool, at) } : {}),
        at,
      };
  }
}

const decodeFunction = (tool: JsonObject, at: string): Tool => ({
  kind: 'function',
  name: nameOf(tool, at),
  ...optional('description', read.string(tool['description'], `${at}.description`)),
  ...optional('schema', read.object(tool['parameters'], `${at}.parameters`)),
  ...optional('strict', read.boolean(tool['strict'], `${at}.strict`)),
  at,
  ...withOwn({ rest: membersBesides(tool, FUNCTION) ?? {} }),
});

/**
 * Returns the other members of a custom tool. The format `text` is the default, but is written
 * back.
 */
const customRest = (tool: JsonObject): JsonObject => ({
  ...membersBesides(tool, CUSTOM),
  ...(asObject(tool['format'])?.['type'] === 'text' ? { format: tool['format'] } : {}),
});

const nameOf = (tool: JsonObject, at: string): string =>
  required(read.string(tool['name'], `${at}.name`), `${at}.name`, 'the name of the tool');

/** Reads the format of a custom tool's input; undefined for free text. */
function decodeGrammar(value: unknown, at: string): Tool['grammar'] {
  const format = read.object(value, at);
  if (format?.['type'] !== 'grammar') return undefined;
  return {
    syntax: required(read.string(format['syntax'], `${at}.syntax`), `${at}.syntax`, 'lark or regex'),
    definition: required(read.string(format['definition'], `${at}.definition`), `${at}.definition`, 'a text'),
  };
}

function decodeSearch(tool: JsonObject, at: string): WebSearch {
  const size = read.string(tool['search_context_size'], `${at}.search_context_size`);
  const place = read.object(tool['user_location'], `${at}.user_location`);
  const filters = read.object(tool['filters'], `${at}.filters`);
  return {
    ...(size === 'low' || size === 'medium' || size === 'high' ? { contextSize: size } : {}),
    ...(place === undefined ? {} : { location: decodeLocation(place, `${at}.user_location`) }),
    ...optional(
      'allowedDomains',
      read.strings(filters?.['allowed_domains'], `${at}.filters.allowed_domains`),
    ),
    ...optional(
      'blockedDomains',
      read.strings(filters?.['blocked_domains'], `${at}.filters.blocked_domains`),
    ),
  };
}

function decodeLocation(place: JsonObject, at: string): NonNullable<WebSearch['location']> {
  const member = (name: string): string | undefined => read.string(place[name], `${at}.${name}`);
  return compact({
    city: member('city'),
    region: member('region'),
    country: member('country'),
    timezone: member('timezone'),
  });
}

/** A tool choice, and its parts that only this dialect can express. */
export interface DecodedToolChoice {
  readonly choice?: ToolChoice;
  readonly own?: unknown;
}

export function decodeToolChoice(value: unknown): DecodedToolChoice {
  if (value === undefined || value === null) return {};
  if (value === 'auto' || value === 'none' || value === 'required') return { choice: { mode: value } };
  const chosen = asObject(value);
  if (chosen === null) throw invalid('tool_choice', 'tool_choice must be none, auto, required or an object.');
  const type = required(read.string(chosen['type'], 'tool_choice.type'), 'tool_choice.type', 'a type');
  switch (type) {
    case 'function':
    case 'custom':
      return { choice: { mode: 'named', name: nameOf(chosen, 'tool_choice') } };
    case 'allowed_tools':
      return decodeAllowed(chosen);
    default:
      return isWebSearch(type) ? { choice: { mode: 'named', name: 'web_search' } } : { own: value };
  }
}

function decodeAllowed(chosen: JsonObject): DecodedToolChoice {
  const tools = required(
    read.objects(chosen['tools'], 'tool_choice.tools'),
    'tool_choice.tools',
    'a list of tools',
  );
  const names = tools.map((tool): string | null => {
    const type = asString(tool['type']) ?? 'function';
    return type === 'function' || type === 'custom'
      ? asString(tool['name'])
      : isWebSearch(type)
        ? 'web_search'
        : null;
  });
  const known = names.filter((name) => name !== null);
  if (known.length < names.length) return { own: chosen };
  return { choice: { mode: 'allowed', require: chosen['mode'] === 'required', names: known } };
}
