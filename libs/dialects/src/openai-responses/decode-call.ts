import type { CallPaths, Effort, JsonObject, ModelCall, OutputFormat, Reasoning, ServiceTier } from '../call';
import type { CallAddress } from '../codec';
import { invalid } from '../losses';
import { asObject, isAbsent, membersBesides, optional, read, required } from '../values/json';
import { decodeInput, type DecodedInput } from './decode-input';
import { decodeToolChoice, decodeTools } from './decode-tools';
import { DIALECT, withOwn } from './own';

const KNOWN: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'input',
  'instructions',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'service_tier',
  'safety_identifier',
  'user',
  'metadata',
  'store',
  'previous_response_id',
  'conversation',
  'truncation',
  'include',
  'background',
]);

const SEALED = 'reasoning.encrypted_content';
const LOGPROBS = 'message.output_text.logprobs';

/** Decodes the body of `POST /responses` and of `POST /responses/input_tokens`. */
export function decodeCall(body: JsonObject, address: CallAddress = {}): ModelCall {
  const model =
    address.model ?? required(read.string(body['model'], 'model'), 'model', 'the name of a model');
  const { system, turns } = decodeTexts(body);
  const { choice, own: ownChoice } = decodeToolChoice(body['tool_choice']);
  const rest = { ...otherMembers(body), ...optional('tool_choice', ownChoice), ...ownMembers(body) };
  return {
    from: DIALECT,
    model,
    stream: address.stream ?? read.boolean(body['stream'], 'stream') ?? false,
    system,
    turns,
    ...optional('tools', decodeTools(body['tools'])),
    ...optional('toolChoice', choice),
    ...optional('parallelTools', read.boolean(body['parallel_tool_calls'], 'parallel_tool_calls')),
    ...optional('output', decodeFormat(body)),
    ...optional('verbosity', decodeVerbosity(body)),
    ...optional('reasoning', decodeReasoningOptions(body)),
    ...decodeNumbers(body),
    ...decodeHints(body),
    ...decodeState(body),
    ...(Object.keys(rest).length === 0 ? {} : { x: { [DIALECT]: rest } }),
    paths: pathsOf(body),
  };
}

/** Returns the members without a neutral place; null counts as absent. */
function otherMembers(body: JsonObject): JsonObject {
  const others = Object.entries(membersBesides(body, KNOWN) ?? {});
  return Object.fromEntries(others.filter(([, value]) => value !== null));
}

const CACHE = ['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options'] as const;

function pathsOf(body: JsonObject): CallPaths {
  return {
    maxTokens: 'max_output_tokens',
    topP: 'top_p',
    logprobs: 'top_logprobs',
    toolChoice: 'tool_choice',
    parallelTools: 'parallel_tool_calls',
    output: 'text.format',
    verbosity: 'text.verbosity',
    reasoning: isAbsent(asObject(body['reasoning'])?.['effort']) ? 'reasoning' : 'reasoning.effort',
    reasoningSummary: 'reasoning.summary',
    cache: CACHE.find((name) => !isAbsent(body[name])) ?? 'prompt_cache_key',
    serviceTier: 'service_tier',
    user: isAbsent(body['safety_identifier']) ? 'user' : 'safety_identifier',
    previous: isAbsent(body['previous_response_id']) ? 'conversation' : 'previous_response_id',
    system: 'instructions',
    turns: 'input',
    // An encoder of this dialect writes `store` only when the client did.
    ...(isAbsent(body['store']) ? {} : { store: 'store' }),
    parts: PART_PATHS,
  };
}

const PART_PATHS: NonNullable<CallPaths['parts']> = {
  image: 'image_url',
  document: 'file_data',
  arguments: 'arguments',
  callId: 'call_id',
  name: 'name',
  cache: 'prompt_cache_breakpoint',
  detail: 'detail',
  title: 'filename',
  citations: 'annotations',
};

function decodeTexts(body: JsonObject): DecodedInput {
  const instructions = read.string(body['instructions'], 'instructions');
  const leading =
    instructions === undefined ? [] : [{ role: 'system', text: instructions, at: 'instructions' } as const];
  const earlier = (['previous_response_id', 'conversation', 'prompt'] as const).find(
    (name) => !isAbsent(body[name]),
  );
  if (earlier !== undefined && (isAbsent(body['input']) || isEmptyList(body['input']))) {
    const absent = {
      kind: 'opaque',
      dialect: DIALECT,
      data: {},
      at: earlier,
      ...withOwn({ isItem: true, isAbsent: true }),
    } as const;
    return { system: leading, turns: [{ role: 'user', parts: [absent], at: earlier }] };
  }
  const { system, turns } = decodeInput(body['input'], earlier !== undefined);
  return { system: [...leading, ...system], turns };
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function decodeFormat(body: JsonObject): OutputFormat | undefined {
  const format = read.object(read.object(body['text'], 'text')?.['format'], 'text.format');
  if (format === undefined) return undefined;
  switch (format['type']) {
    case 'text':
      return { kind: 'text' };
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema': {
      const path = 'text.format';
      return {
        kind: 'schema',
        ...optional('name', read.string(format['name'], `${path}.name`)),
        ...optional('description', read.string(format['description'], `${path}.description`)),
        schema: required(read.object(format['schema'], `${path}.schema`), `${path}.schema`, 'a JSON Schema'),
        ...optional('strict', read.boolean(format['strict'], `${path}.strict`)),
      };
    }
    default:
      throw invalid('text.format.type', 'The type must be text, json_object or json_schema.');
  }
}

/** Reads a member that must be one of these texts. */
function oneOf<T extends string>(value: unknown, path: string, allowed: readonly T[]): T | undefined {
  const found = read.string(value, path);
  if (found === undefined) return undefined;
  const known = allowed.find((item) => item === found);
  if (known === undefined) throw invalid(path, `${path} must be one of: ${allowed.join(', ')}.`);
  return known;
}

const decodeVerbosity = (body: JsonObject): ModelCall['verbosity'] =>
  oneOf(asObject(body['text'])?.['verbosity'], 'text.verbosity', ['low', 'medium', 'high']);

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const SUMMARIES = ['auto', 'concise', 'detailed'] as const;

function decodeReasoningOptions(body: JsonObject): Reasoning | undefined {
  const reasoning = read.object(body['reasoning'], 'reasoning');
  if (reasoning === undefined) return undefined;
  const effort = oneOf(reasoning['effort'], 'reasoning.effort', EFFORTS);
  const summary =
    oneOf(reasoning['summary'], 'reasoning.summary', SUMMARIES) ??
    oneOf(reasoning['generate_summary'], 'reasoning.generate_summary', SUMMARIES);
  if (effort === undefined && summary === undefined) return undefined;
  return { ...optional('effort', effort), ...optional('summary', summary) };
}

/**
 * Returns members without a neutral place from objects that are otherwise neutral, such as
 * `reasoning.context`.
 */
function ownMembers(body: JsonObject): JsonObject {
  const inner = (name: string, known: readonly string[]): JsonObject => {
    const object = asObject(body[name]);
    const rest = object === null ? undefined : membersBesides(object, new Set(known));
    return rest === undefined ? {} : { [name]: rest };
  };
  return {
    ...inner('text', ['format', 'verbosity']),
    ...inner('reasoning', ['effort', 'summary', 'generate_summary']),
    ...inner('prompt_cache_options', ['ttl']),
    ...(body['prompt_cache_retention'] === 'in_memory' ? { prompt_cache_retention: 'in_memory' } : {}),
    ...(isAbsent(body['safety_identifier']) || isAbsent(body['user']) ? {} : { user: body['user'] }),
  };
}

function decodeNumbers(body: JsonObject): Partial<ModelCall> {
  const maxTokens = read.integer(body['max_output_tokens'], 'max_output_tokens');
  if (maxTokens !== undefined && maxTokens < 1) {
    throw invalid('max_output_tokens', 'max_output_tokens must be at least 1.');
  }
  return {
    ...optional('maxTokens', maxTokens),
    ...optional('temperature', read.number(body['temperature'], 'temperature')),
    ...optional('topP', read.number(body['top_p'], 'top_p')),
    ...decodeInclude(body),
  };
}

function decodeInclude(body: JsonObject): Partial<ModelCall> {
  const include = read.strings(body['include'], 'include') ?? [];
  const top = read.integer(body['top_logprobs'], 'top_logprobs') ?? 0;
  const others = include.filter((name) => name !== LOGPROBS && name !== SEALED);
  return {
    ...(top > 0 || include.includes(LOGPROBS) ? { logprobs: { top } } : {}),
    ...(include.includes(SEALED) ? { sealedReasoning: true } : {}),
    ...(others.length === 0 ? {} : { include: others }),
  };
}

const TIERS: readonly ServiceTier[] = ['auto', 'default', 'flex', 'scale', 'priority', 'batch', 'fast'];

const TRUNCATIONS = ['auto', 'disabled'] as const;

function decodeHints(body: JsonObject): Partial<ModelCall> {
  const key = read.string(body['prompt_cache_key'], 'prompt_cache_key');
  const options = read.object(body['prompt_cache_options'], 'prompt_cache_options');
  const ttl = cacheLifetime(body, options);
  const user =
    read.string(body['safety_identifier'], 'safety_identifier') ?? read.string(body['user'], 'user');
  return {
    ...(key === undefined && ttl === undefined
      ? {}
      : { cache: { ...optional('key', key), ...optional('ttl', ttl) } }),
    ...optional('serviceTier', oneOf(body['service_tier'], 'service_tier', TIERS)),
    ...optional('user', user),
    ...optional('metadata', decodeMetadata(body)),
    ...optional('truncation', oneOf(body['truncation'], 'truncation', TRUNCATIONS)),
  };
}

const cacheLifetime = (body: JsonObject, options: JsonObject | undefined): '24h' | '30m' | undefined =>
  body['prompt_cache_retention'] === '24h' ? '24h' : options?.['ttl'] === '30m' ? '30m' : undefined;

function decodeMetadata(body: JsonObject): Readonly<Record<string, string>> | undefined {
  const metadata = read.object(body['metadata'], 'metadata');
  if (metadata === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      name,
      required(read.string(value, `metadata.${name}`), `metadata.${name}`, 'a text'),
    ]),
  );
}

function decodeState(body: JsonObject): Partial<ModelCall> {
  const responseId = read.string(body['previous_response_id'], 'previous_response_id');
  const conversation = body['conversation'];
  const conversationId =
    typeof conversation === 'string'
      ? conversation
      : read.string(read.object(conversation, 'conversation')?.['id'], 'conversation.id');
  const previous = { ...optional('responseId', responseId), ...optional('conversationId', conversationId) };
  return {
    // The API stores responses unless the client disables it.
    store: read.boolean(body['store'], 'store') ?? true,
    ...(responseId === undefined && conversationId === undefined ? {} : { previous }),
    ...optional('background', read.boolean(body['background'], 'background')),
  };
}
