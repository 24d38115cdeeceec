import type { JsonObject, ModelCall, Tool, ToolChoice } from '../call';
import { pathOf } from '../call';
import type { LossLedger } from '../losses';
import { openApiSchema, SchemaWork } from '../schema/gemini-schema';
import type { Target } from '../target';
import { asObject, optional } from '../values/json';
import { isFunctionName } from './encode-parts';

/** `tools` and `functionCallingConfig` of a call. */
export interface EncodedTools {
  readonly tools?: readonly JsonObject[];
  readonly functionCallingConfig?: JsonObject;
}

export function encodeTools(call: ModelCall, target: Target, losses: LossLedger): EncodedTools {
  const functions: JsonObject[] = [];
  const hosted: JsonObject[] = [];
  const work = new SchemaWork();
  for (const tool of offered(call, target)) {
    if (tool.cache !== undefined) losses.note(`${pathOfTool(tool, call)}.cache_control`);
    if (tool.kind === 'function') functions.push(...declaration(tool, call, { target, losses, work }));
    else hosted.push(...hostedTool(tool, call, losses));
  }
  refuseMixing(call, target, losses);
  // Gemini expects all functions in one element.
  const tools = [...(functions.length === 0 ? [] : [{ functionDeclarations: functions }]), ...hosted];
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...optional('functionCallingConfig', callingConfig(call, target, losses)),
  };
}

const pathOfTool = (tool: Tool, call: ModelCall): string => tool.at ?? pathOf(call, 'tools');

/**
 * Returns the tools to send. Models without the mode VALIDATED get only the functions that they may
 * call.
 */
function offered({ tools = [], toolChoice }: ModelCall, { capabilities }: Target): readonly Tool[] {
  if (toolChoice?.mode !== 'allowed' || toolChoice.require || capabilities.jsonSchema) return tools;
  const names = new Set(toolChoice.names);
  return tools.filter(({ kind, name }) => kind !== 'function' || names.has(name));
}

/** Facts that the encoders of functions share. */
interface FunctionFacts {
  readonly target: Target;
  readonly losses: LossLedger;
  readonly work: SchemaWork;
}

function declaration(tool: Tool, call: ModelCall, facts: FunctionFacts): JsonObject[] {
  const { target, losses } = facts;
  const path = pathOfTool(tool, call);
  if (!isFunctionName(tool.name)) {
    losses.refuse(
      path,
      'Gemini takes function names of letters, digits, "_", ".", ":" and "-" that begin with a letter or "_".',
    );
    return [];
  }
  if (tool.strict === true && !target.capabilities.jsonSchema) losses.note(path);
  return [
    {
      name: tool.name,
      ...optional('description', tool.description),
      ...(tool.x?.gemini?.['parameters'] === undefined ? parameters(tool, call, facts) : {}),
      ...tool.x?.gemini,
    },
  ];
}

function parameters(tool: Tool, call: ModelCall, { target, losses, work }: FunctionFacts): JsonObject {
  const { schema } = tool;
  const path = pathOfTool(tool, call);
  if (schema === undefined) return {};
  if (target.capabilities.jsonSchema) return { parametersJsonSchema: schema };
  const at = `${path}.${schemaMember(call, path)}`;
  const converted = openApiSchema(schema, at, work);
  if (converted.relaxed) losses.note(at, 'relaxed');
  // These models refuse an object without properties.
  return asObject(converted.schema['properties']) === null ? {} : { parameters: converted.schema };
}

/** Returns the path of a function's schema in the client's dialect. */
function schemaMember({ from }: ModelCall, path: string): string {
  if (from === 'anthropic-messages') return 'input_schema';
  return from === 'openai-chat' && path.startsWith('tools') ? 'function.parameters' : 'parameters';
}

function hostedTool(tool: Tool, call: ModelCall, losses: LossLedger): JsonObject[] {
  const path = pathOfTool(tool, call);
  if (tool.hosted?.dialect === 'gemini') return [{ [tool.hosted.type]: tool.hosted.config }];
  if (tool.kind === 'hosted' && tool.name === 'web_search')
    return [{ googleSearch: searchConfig(tool, path, losses) }];
  losses.refuse(
    path,
    tool.kind === 'custom'
      ? 'Gemini has no custom tools with free text.'
      : `Gemini has no tool ${tool.name}.`,
  );
  return [];
}

function searchConfig({ search = {} }: Tool, path: string, losses: LossLedger): JsonObject {
  const { contextSize, location, maxUses, allowedDomains = [], blockedDomains = [] } = search;
  if (contextSize !== undefined) losses.note(`${path}.search_context_size`);
  if (location !== undefined) losses.note(`${path}.user_location`);
  if (maxUses !== undefined) losses.note(`${path}.max_uses`);
  if (allowedDomains.length > 0)
    losses.parameter(`${path}.allowed_domains`, 'Google Search cannot be limited to domains.');
  return blockedDomains.length === 0 ? {} : { excludeDomains: blockedDomains };
}

/** Refuses functions next to a tool that Google runs, for models before Gemini 3. */
function refuseMixing({ tools = [], paths }: ModelCall, target: Target, losses: LossLedger): void {
  const hosted = tools.find(({ kind }) => kind === 'hosted');
  if (hosted === undefined || target.capabilities.reasoning === 'level') return;
  if (tools.some(({ kind }) => kind === 'function')) {
    losses.refuse(
      hosted.at ?? paths.tools ?? 'tools',
      `${target.model} does not take functions and ${hosted.name} in one request.`,
    );
  }
}

function callingConfig(call: ModelCall, target: Target, losses: LossLedger): JsonObject | undefined {
  const functions = (call.tools ?? []).filter(({ kind }) => kind === 'function');
  if (call.parallelTools === false && functions.length > 0) {
    losses.parameter(pathOf(call, 'parallelTools'), 'Gemini may call several functions at a time.');
  }
  const isStrict = target.capabilities.jsonSchema && functions.some(({ strict }) => strict === true);
  if (call.toolChoice === undefined) return isStrict ? { mode: 'VALIDATED' } : undefined;
  if (functions.length === 0) return withoutFunctions(call, call.toolChoice, losses);
  return configOf(call.toolChoice, isStrict, target);
}

function withoutFunctions(call: ModelCall, { mode }: ToolChoice, losses: LossLedger): undefined {
  if (mode === 'auto' || mode === 'none') return undefined;
  losses.refuse(
    pathOf(call, 'toolChoice'),
    'A call of a function is required, but the request has no functions.',
  );
  return undefined;
}

function configOf(choice: ToolChoice, isStrict: boolean, { capabilities }: Target): JsonObject {
  switch (choice.mode) {
    case 'auto':
      return { mode: isStrict ? 'VALIDATED' : 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'named':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
    case 'allowed':
      if (choice.require) return { mode: 'ANY', allowedFunctionNames: choice.names };
      return capabilities.jsonSchema
        ? { mode: 'VALIDATED', allowedFunctionNames: choice.names }
        : { mode: 'AUTO' };
  }
}
