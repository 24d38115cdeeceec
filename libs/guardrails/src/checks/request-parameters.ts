import { isObject } from '@gw/kernel';
import { defineCheck, type ParameterReport } from '../check';
import { reduceInOrder, then } from '../eventually';
import type { RequestFacts } from '../subject';
import { isSameJson, objectsOf, type JsonObject } from '../json';
import { object, textList } from '../parameters';
import type { Dialect } from '../text/passages';

interface ToolRules {
  readonly blockedTypes?: readonly string[];
  readonly allowedTypes?: readonly string[];
  readonly blockedFunctionNames?: readonly string[];
  readonly allowedFunctionNames?: readonly string[];
}

interface ValueRules {
  readonly blockedValues?: readonly unknown[];
  readonly allowedValues?: readonly unknown[];
}

interface ParamRules {
  readonly blockedKeys?: readonly string[];
  readonly allowedKeys?: readonly string[];
  readonly values?: Readonly<Record<string, ValueRules>>;
}

interface Parameters {
  readonly tools?: ToolRules;
  readonly params?: ParamRules;
}

type Reason =
  | 'type_blocked'
  | 'type_not_allowed'
  | 'name_blocked'
  | 'name_not_allowed'
  | 'key_blocked'
  | 'key_not_allowed'
  | 'value_blocked'
  | 'value_not_allowed';

interface Breach {
  readonly at: string;
  readonly reason: Reason;
}

/** Maximum violations shown in a result. */
const BREACHES_MAX = 50;
/** Units of work per tool or parameter. */
const ENTRY_UNITS = 4;

const names = textList(500);
const values = { type: 'array', maxItems: 500 };

export const requestParameters = defineCheck<Parameters>({
  id: 'default.requestParametersCheck',
  aliases: ['default.requestParams', 'default.request-params'],
  doc: 'Tools, parameters and their values are allowed and not blocked. An absent list allows everything.',
  kind: 'params',
  stages: ['input'],
  allowedForMcpTools: true,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object({
    tools: {
      type: 'object',
      properties: {
        blockedTypes: names,
        allowedTypes: names,
        blockedFunctionNames: names,
        allowedFunctionNames: names,
      },
      additionalProperties: false,
    },
    params: {
      type: 'object',
      properties: {
        blockedKeys: names,
        allowedKeys: names,
        values: {
          type: 'object',
          maxProperties: 200,
          additionalProperties: {
            type: 'object',
            properties: { blockedValues: values, allowedValues: values },
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
  }),
  example: {
    tools: { allowedTypes: ['function'], blockedFunctionNames: ['delete_account'] },
    params: { blockedKeys: ['logit_bias'], values: { model: { allowedValues: ['gpt-4o-mini'] } } },
  },
  prepare({ tools, params }, report) {
    refuseConflicts(tools, params, report);
    const judgeTool = tools ? toolJudge(tools) : null;
    const judgeParam = params ? paramJudge(params) : null;
    return {
      evaluate({ request, facts }, pace) {
        const body = isObject(request) ? request : {};
        const found = reduceInOrder(
          breachesOf(body, facts, judgeTool, judgeParam),
          [] as Breach[],
          (all, breaches) =>
            then(pace.step(ENTRY_UNITS), () => {
              for (const breach of breaches) if (all.length < BREACHES_MAX) all.push(breach);
              return all;
            }),
        );
        return then(found, (breaches) => ({ verdict: breaches.length === 0, data: { breaches } }));
      },
    };
  },
});

/** Google accepts each member in camel case and in snake case. */
const SETTINGS = ['generationConfig', 'generation_config'] as const;
const DECLARATIONS = ['functionDeclarations', 'function_declarations'] as const;

/**
 * Yields the parameters of a request by name. For Gemini these are also the members of the
 * generation settings, which other dialects have at the top level, and the model of the path, which
 * is the one that is called.
 */
function* parametersOf(
  body: JsonObject,
  { dialect, model }: RequestFacts,
): Generator<readonly [string, unknown]> {
  if (dialect !== 'gemini') {
    yield* Object.entries(body);
    return;
  }
  yield ['model', model];
  for (const settings of SETTINGS.map((key) => body[key]).filter(isObject)) yield* Object.entries(settings);
  for (const entry of Object.entries(body)) if (entry[0] !== 'model') yield entry;
}

/** Reports names that are in both lists. */
function refuseConflicts(
  tools: ToolRules | undefined,
  params: ParamRules | undefined,
  report: ParameterReport,
): void {
  const compare = (
    path: readonly string[],
    blocked: readonly unknown[] = [],
    allowed: readonly unknown[] = [],
  ) => {
    const both = blocked.find((entry) => allowed.some((other) => isSameJson(entry, other)));
    if (both !== undefined) report(path, 'conflict', 'is both allowed and blocked', both);
  };
  compare(['tools', 'blockedTypes'], tools?.blockedTypes, tools?.allowedTypes);
  compare(['tools', 'blockedFunctionNames'], tools?.blockedFunctionNames, tools?.allowedFunctionNames);
  compare(['params', 'blockedKeys'], params?.blockedKeys, params?.allowedKeys);
  for (const [key, rules] of Object.entries(params?.values ?? {})) {
    compare(['params', 'values', key, 'blockedValues'], rules.blockedValues, rules.allowedValues);
  }
}

/** Yields all tools that a request offers or forces, in the spellings of all dialects. */
function* toolsOf(body: JsonObject, dialect: Dialect): Generator<Tool> {
  for (const tool of objectsOf(body['tools'])) {
    if (isOfGemini(tool)) yield* toolsOfGemini(tool);
    else yield describe(tool, dialect);
    // A namespace has its functions in a list of its own.
    for (const inner of objectsOf(tool['tools'])) yield describe(inner, dialect);
  }
  for (const { name } of objectsOf(body['functions'])) yield functionNamed(name);
  for (const key of ['tool_choice', 'function_call']) {
    const choice = body[key];
    if (isObject(choice) && (isObject(choice['function']) || typeof choice['name'] === 'string'))
      yield describe(choice, dialect);
  }
}

/**
 * Yields the tools of an entry: function declarations, or Google's own tools by name
 * (`googleSearch`).
 */
function* toolsOfGemini(entry: JsonObject): Generator<Tool> {
  for (const [key, value] of Object.entries(entry)) {
    if (DECLARATIONS.some((name) => name === key)) {
      for (const { name } of objectsOf(value)) yield functionNamed(name);
    } else {
      const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      yield { type: name, name, isFunction: false };
    }
  }
}

const isOfGemini = (tool: JsonObject): boolean =>
  tool['type'] === undefined && tool['name'] === undefined && !isObject(tool['function']);

function describe(tool: JsonObject, dialect: Dialect): Tool {
  const inner = isObject(tool['function'])
    ? tool['function']
    : isObject(tool['custom'])
      ? tool['custom']
      : tool;
  const written = typeof tool['type'] === 'string' ? tool['type'] : 'function';
  const type = written === 'tool' ? 'function' : written;
  return {
    type,
    name: typeof inner['name'] === 'string' ? inner['name'] : written,
    // Anthropic accepts the type of a client's own function, and assumes it when it is absent.
    isFunction: type === 'function' || (dialect === 'messages' && type === 'custom'),
  };
}

const functionNamed = (name: unknown): Tool => ({ type: 'function', name: String(name), isFunction: true });

interface Tool {
  readonly type: string;
  readonly name: string;
  readonly isFunction: boolean;
}

type ToolJudge = (tool: Tool) => Iterable<Breach>;
type ParamJudge = (key: string, value: unknown) => Iterable<Breach>;

/** Yields the violations of each tool, then those of each parameter. */
function* breachesOf(
  body: JsonObject,
  facts: RequestFacts,
  judgeTool: ToolJudge | null,
  judgeParam: ParamJudge | null,
): Generator<Iterable<Breach>> {
  if (judgeTool) for (const tool of toolsOf(body, facts.dialect)) yield judgeTool(tool);
  if (judgeParam) for (const [key, value] of parametersOf(body, facts)) yield judgeParam(key, value);
}

const setOf = (list: readonly string[] | undefined): ReadonlySet<string> | null =>
  list ? new Set(list) : null;

function toolJudge(rules: ToolRules): ToolJudge {
  const [blockedTypes, allowedTypes] = [setOf(rules.blockedTypes), setOf(rules.allowedTypes)];
  const [blockedNames, allowedNames] = [setOf(rules.blockedFunctionNames), setOf(rules.allowedFunctionNames)];
  return function* ({ type, name, isFunction }) {
    if (blockedTypes?.has(type)) yield { at: type, reason: 'type_blocked' };
    if (allowedTypes && !allowedTypes.has(type)) yield { at: type, reason: 'type_not_allowed' };
    if (blockedNames?.has(name)) yield { at: name, reason: 'name_blocked' };
    // A list of functions does not apply to tools of other types, which have their own list.
    if (isFunction && allowedNames && !allowedNames.has(name)) {
      yield { at: name, reason: 'name_not_allowed' };
    }
  };
}

function paramJudge(rules: ParamRules): ParamJudge {
  const [blockedKeys, allowedKeys] = [setOf(rules.blockedKeys), setOf(rules.allowedKeys)];
  return function* (key, value) {
    if (blockedKeys?.has(key)) yield { at: key, reason: 'key_blocked' };
    if (allowedKeys && !allowedKeys.has(key)) yield { at: key, reason: 'key_not_allowed' };
    const values = rules.values && Object.hasOwn(rules.values, key) ? rules.values[key] : undefined;
    if (values) yield* valueBreaches(key, value, values);
  };
}

function* valueBreaches(key: string, value: unknown, rules: ValueRules): Generator<Breach> {
  const isIn = (list: readonly unknown[]) => list.some((entry) => isSameJson(entry, value));
  if (rules.blockedValues && isIn(rules.blockedValues)) yield { at: key, reason: 'value_blocked' };
  if (rules.allowedValues && !isIn(rules.allowedValues)) yield { at: key, reason: 'value_not_allowed' };
}
