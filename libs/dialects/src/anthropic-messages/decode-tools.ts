import type { JsonObject, ModelCall, Tool, ToolChoice, WebSearch } from '../call';
import { invalid } from '../losses';
import {
  asObject,
  asString,
  compact,
  isAbsent,
  membersBesides,
  optional,
  read,
  required,
} from '../values/json';
import { decodeCacheMark } from './cache-mark';
import { DIALECT, extensions } from './paths';

export function decodeTools(body: JsonObject): Pick<ModelCall, 'tools' | 'toolChoice' | 'parallelTools'> {
  const tools = read.objects(body['tools'], 'tools');
  return {
    ...optional(
      'tools',
      tools?.map((tool, index) => decodeTool(tool, `tools.${String(index)}`)),
    ),
    ...decodeChoice(body['tool_choice']),
  };
}

function decodeTool(tool: JsonObject, at: string): Tool {
  const type = read.string(tool['type'], `${at}.type`);
  const decoded =
    type === undefined || type === 'custom' ? functionTool(tool, at) : hostedTool(type, tool, at);
  return { ...decoded, ...decodeCacheMark(tool, `${at}.`), at };
}

const FUNCTION: ReadonlySet<string> = new Set([
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
]);

function functionTool(tool: JsonObject, at: string): Tool {
  const schema = read.object(tool['input_schema'], `${at}.input_schema`);
  return {
    kind: 'function',
    name: required(read.string(tool['name'], `${at}.name`), `${at}.name`, 'the name of the tool'),
    schema: required(schema, `${at}.input_schema`, 'a JSON Schema'),
    ...optional('description', read.string(tool['description'], `${at}.description`)),
    ...optional('strict', read.boolean(tool['strict'], `${at}.strict`)),
    ...extensions(membersBesides(tool, FUNCTION)),
  };
}

const HOSTED: ReadonlySet<string> = new Set(['type', 'cache_control']);

function hostedTool(type: string, tool: JsonObject, at: string): Tool {
  const config = membersBesides(tool, HOSTED) ?? {};
  const hosted = { dialect: DIALECT, type, config } as const;
  return type.startsWith('web_search_')
    ? { kind: 'hosted', name: 'web_search', hosted, search: webSearch(tool, at) }
    : { kind: 'hosted', name: type, hosted };
}

function webSearch(tool: JsonObject, at: string): WebSearch {
  const location = asObject(tool['user_location']);
  return {
    ...optional('maxUses', read.integer(tool['max_uses'], `${at}.max_uses`)),
    ...optional('allowedDomains', read.strings(tool['allowed_domains'], `${at}.allowed_domains`)),
    ...optional('blockedDomains', read.strings(tool['blocked_domains'], `${at}.blocked_domains`)),
    ...(location === null ? {} : { location: locationOf(location) }),
  };
}

const locationOf = (location: JsonObject): NonNullable<WebSearch['location']> =>
  compact({
    city: asString(location['city']) ?? undefined,
    region: asString(location['region']) ?? undefined,
    country: asString(location['country']) ?? undefined,
    timezone: asString(location['timezone']) ?? undefined,
  });

function decodeChoice(value: unknown): Pick<ModelCall, 'toolChoice' | 'parallelTools'> {
  const choice = read.object(value, 'tool_choice');
  if (choice === undefined) return {};
  const path = 'tool_choice.disable_parallel_tool_use';
  const disabled = read.boolean(choice['disable_parallel_tool_use'], path);
  return {
    toolChoice: toolChoice(choice),
    ...(isAbsent(disabled) ? {} : { parallelTools: !disabled }),
  };
}

function toolChoice(choice: JsonObject): ToolChoice {
  switch (choice['type']) {
    case 'auto':
      return { mode: 'auto' };
    case 'none':
      return { mode: 'none' };
    case 'any':
      return { mode: 'required' };
    case 'tool': {
      const name = read.string(choice['name'], 'tool_choice.name');
      return { mode: 'named', name: required(name, 'tool_choice.name', 'the name of a tool') };
    }
    default:
      throw invalid('tool_choice.type', 'tool_choice.type must be auto, any, tool or none.');
  }
}
