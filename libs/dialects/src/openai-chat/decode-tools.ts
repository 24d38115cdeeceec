import type { JsonObject, Tool, ToolChoice, WebSearch } from '../call';
import { invalid } from '../losses';
import { asObject, asString, compact, isAbsent, objectsOf, optional, read, required } from '../values/json';
import { cacheMark } from './decode-content';

/**
 * Decodes `tools`, the deprecated `functions`, and `web_search_options`, which is a tool in every
 * other dialect.
 */
export function decodeTools(body: JsonObject): { tools?: Tool[] } {
  const tools = (read.objects(body['tools'], 'tools') ?? []).map((tool, index) =>
    decodeTool(tool, `tools.${String(index)}`),
  );
  const functions = (read.objects(body['functions'], 'functions') ?? []).map((called, index) =>
    functionTool(called, `functions.${String(index)}`),
  );
  const options = read.object(body['web_search_options'], 'web_search_options');
  const search = options === undefined ? [] : [webSearchTool(options)];
  const all = [...tools, ...functions, ...search];
  return all.length === 0 ? {} : { tools: all };
}

function decodeTool(tool: JsonObject, at: string): Tool {
  switch (tool['type']) {
    case 'function': {
      const called = required(
        read.object(tool['function'], `${at}.function`),
        `${at}.function`,
        'an object with a name',
      );
      return { ...functionTool(called, `${at}.function`), at, ...cacheMark(tool) };
    }
    case 'custom': {
      const custom = required(
        read.object(tool['custom'], `${at}.custom`),
        `${at}.custom`,
        'an object with a name',
      );
      const { format } = custom;
      return {
        kind: 'custom',
        name: required(read.string(custom['name'], `${at}.custom.name`), `${at}.custom.name`, 'a name'),
        at,
        ...optional('description', read.string(custom['description'], `${at}.custom.description`)),
        ...optional('grammar', decodeGrammar(format, `${at}.custom.format`)),
        ...(format === undefined ? {} : { x: { 'openai-chat': { format } } }),
      };
    }
    default: {
      const type = required(read.string(tool['type'], `${at}.type`), `${at}.type`, 'function or custom');
      return { kind: 'hosted', name: type, hosted: { dialect: 'openai-chat', type, config: tool }, at };
    }
  }
}

/** Reads the format of a custom tool's input; undefined for free text. */
function decodeGrammar(value: unknown, path: string): Tool['grammar'] {
  const format = read.object(value, path);
  if (format?.['type'] !== 'grammar') return undefined;
  const at = `${path}.grammar`;
  const grammar = required(read.object(format['grammar'], at), at, 'an object with a definition');
  return {
    syntax: required(read.string(grammar['syntax'], `${at}.syntax`), `${at}.syntax`, 'lark or regex'),
    definition: required(
      read.string(grammar['definition'], `${at}.definition`),
      `${at}.definition`,
      'a text',
    ),
  };
}

function functionTool(called: JsonObject, at: string): Tool {
  return {
    kind: 'function',
    name: required(read.string(called['name'], `${at}.name`), `${at}.name`, 'a name'),
    at,
    ...optional('description', read.string(called['description'], `${at}.description`)),
    ...optional('schema', read.object(called['parameters'], `${at}.parameters`)),
    ...optional('strict', read.boolean(called['strict'], `${at}.strict`)),
  };
}

function webSearchTool(options: JsonObject): Tool {
  const size = options['search_context_size'];
  const location = asObject(asObject(options['user_location'])?.['approximate']);
  const search: WebSearch = {
    ...(size === 'low' || size === 'medium' || size === 'high' ? { contextSize: size } : {}),
    ...(location === null ? {} : { location: locationOf(location) }),
  };
  return {
    kind: 'hosted',
    name: 'web_search',
    hosted: { dialect: 'openai-chat', type: 'web_search_options', config: options },
    search,
    at: 'web_search_options',
  };
}

const locationOf = (location: JsonObject): NonNullable<WebSearch['location']> =>
  compact({
    city: asString(location['city']) ?? undefined,
    region: asString(location['region']) ?? undefined,
    country: asString(location['country']) ?? undefined,
    timezone: asString(location['timezone']) ?? undefined,
  });

export function decodeToolChoice(body: JsonObject): { toolChoice?: ToolChoice } {
  const path = isAbsent(body['tool_choice']) ? 'function_call' : 'tool_choice';
  const value = body[path];
  if (isAbsent(value)) return {};
  if (value === 'auto' || value === 'none' || value === 'required') return { toolChoice: { mode: value } };
  const choice = asObject(value);
  if (choice === null) throw invalid(path, `${path} must be auto, none, required or an object.`);
  return { toolChoice: choice['type'] === 'allowed_tools' ? allowedTools(choice) : namedTool(choice, path) };
}

function namedTool(choice: JsonObject, path: string): ToolChoice {
  const named = asObject(choice['function']) ?? asObject(choice['custom']) ?? choice;
  return {
    mode: 'named',
    name: required(read.string(named['name'], `${path}.name`), `${path}.name`, 'a name'),
  };
}

function allowedTools(choice: JsonObject): ToolChoice {
  const allowed = asObject(choice['allowed_tools']) ?? {};
  const names = objectsOf(allowed['tools'])
    .map((tool) => asString((asObject(tool['function']) ?? asObject(tool['custom']) ?? tool)['name']))
    .filter((name) => name !== null);
  if (names.length === 0)
    throw invalid('tool_choice.allowed_tools.tools', 'allowed_tools must name at least one tool.');
  return { mode: 'allowed', require: allowed['mode'] === 'required', names };
}
