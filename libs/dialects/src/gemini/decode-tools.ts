import type { JsonObject, Tool, ToolChoice, WebSearch } from '../call';
import { invalid } from '../losses';
import { jsonSchemaOf } from '../schema/json-schema';
import { optional, read, required } from '../values/json';
import { Members, ownMembers } from './members';

const DECLARATION: ReadonlySet<string> = new Set([
  'name',
  'description',
  'parameters',
  'parametersJsonSchema',
]);
/** Tools of Google that search the web; other tools keep their names. */
const SEARCHES: ReadonlySet<string> = new Set([
  'googleSearch',
  'googleSearchRetrieval',
  'enterpriseWebSearch',
]);

/** Tools and their choice, decoded from `tools` and `toolConfig`. */
export interface DecodedTools {
  readonly tools?: readonly Tool[];
  readonly toolChoice?: ToolChoice;
}

export function decodeTools(body: Members): DecodedTools {
  const choice = decodeChoice(body.members('toolConfig')?.members('functionCallingConfig'));
  const tools = body.list('tools').flatMap((element) => elementTools(element));
  return {
    ...(tools.length === 0
      ? {}
      : {
          tools:
            choice?.strict === true
              ? tools.map((tool) => (tool.kind === 'function' ? { ...tool, strict: true } : tool))
              : tools,
        }),
    ...optional('toolChoice', choice?.toolChoice),
  };
}

function elementTools(element: Members): Tool[] {
  const functions = element.list('functionDeclarations').map(functionTool);
  const hosted = Object.entries(element.rest(new Set(['functionDeclarations']))).map(([name, config]) =>
    hostedTool(element, name, read.object(config, `${element.path}.${name}`) ?? {}),
  );
  return [...functions, ...hosted];
}

function functionTool(declared: Members): Tool {
  const name = required(declared.string('name'), declared.at('name'), 'the name of the function');
  const parameters = declared.object('parameters');
  const schema =
    declared.object('parametersJsonSchema') ??
    (parameters === undefined ? undefined : jsonSchemaOf(parameters, declared.at('parameters')));
  return {
    kind: 'function',
    name,
    at: declared.path,
    ...optional('description', declared.string('description')),
    ...optional('schema', schema),
    ...ownMembers({ ...declared.rest(DECLARATION), ...optional('parameters', parameters) }),
  };
}

function hostedTool(element: Members, name: string, config: JsonObject): Tool {
  const type = name.replace(/_([a-z])/g, (_found, letter: string) => letter.toUpperCase());
  const hosted = { dialect: 'gemini', type, config } as const;
  if (!SEARCHES.has(type)) return { kind: 'hosted', name: type, hosted, at: element.path };
  const search = searchOf(new Members(config, `${element.path}.${name}`));
  return { kind: 'hosted', name: 'web_search', hosted, search, at: element.path };
}

function searchOf(config: Members): WebSearch {
  return optional('blockedDomains', config.strings('excludeDomains'));
}

function decodeChoice(
  config: Members | undefined,
): { readonly toolChoice?: ToolChoice; readonly strict?: boolean } | undefined {
  if (config === undefined) return undefined;
  const names = config.strings('allowedFunctionNames') ?? [];
  const [name] = names;
  const mode = config.string('mode') ?? 'MODE_UNSPECIFIED';
  switch (mode.toUpperCase()) {
    case 'MODE_UNSPECIFIED':
      return {};
    case 'AUTO':
      return { toolChoice: { mode: 'auto' } };
    case 'NONE':
      return { toolChoice: { mode: 'none' } };
    case 'ANY':
      if (name === undefined) return { toolChoice: { mode: 'required' } };
      return {
        toolChoice: names.length === 1 ? { mode: 'named', name } : { mode: 'allowed', require: true, names },
      };
    case 'VALIDATED':
      return {
        toolChoice: name === undefined ? { mode: 'auto' } : { mode: 'allowed', require: false, names },
        strict: true,
      };
    default:
      throw invalid(config.at('mode'), `${config.at('mode')} must be AUTO, ANY, NONE or VALIDATED.`);
  }
}
