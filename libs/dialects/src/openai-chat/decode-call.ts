import type { CallAddress } from '../codec';
import type { CallPaths, Effort, JsonObject, ModelCall, OutputFormat, Reasoning, ServiceTier } from '../call';
import { invalid } from '../losses';
import {
  asObject,
  asString,
  isAbsent,
  membersBesides,
  objectsOf,
  optional,
  read,
  required,
} from '../values/json';
import { checkToolResults } from '../values/tool-pairs';
import { decodeMessages } from './decode-messages';
import { decodeToolChoice, decodeTools } from './decode-tools';

/** Names of the members in this dialect, for errors and losses. */
const PATHS: CallPaths = {
  model: 'model',
  n: 'n',
  system: 'messages',
  turns: 'messages',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelTools: 'parallel_tool_calls',
  output: 'response_format',
  modalities: 'modalities',
  audioOut: 'audio',
  reasoning: 'reasoning_effort',
  verbosity: 'verbosity',
  maxTokens: 'max_tokens',
  stop: 'stop',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  minP: 'min_p',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  logitBias: 'logit_bias',
  seed: 'seed',
  logprobs: 'logprobs',
  topLogprobs: 'top_logprobs',
  cache: 'prompt_cache_key',
  serviceTier: 'service_tier',
  user: 'user',
  metadata: 'metadata',
  store: 'store',
  safety: 'safety_settings',
  prediction: 'prediction',
  streamUsage: 'stream_options',
  parts: {
    image: 'image_url.url',
    document: 'file.file_data',
    arguments: 'function.arguments',
    callId: 'tool_call_id',
    name: 'function.name',
    cache: 'cache_control',
    detail: 'image_url.detail',
  },
};

const KNOWN: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'n',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'stop',
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'seed',
  'logprobs',
  'top_logprobs',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'parallel_tool_calls',
  'response_format',
  'verbosity',
  'reasoning_effort',
  'modalities',
  'audio',
  'prompt_cache_key',
  'prompt_cache_retention',
  'service_tier',
  'user',
  'safety_identifier',
  'metadata',
  'store',
  'prediction',
  'web_search_options',
  'safety_settings',
]);

/** The members with a place, if the service tier has none. */
const OTHER_TIER: ReadonlySet<string> = new Set([...KNOWN].filter((name) => name !== 'service_tier'));

export function decodeCall(body: JsonObject, address: CallAddress = {}): ModelCall {
  const { system, turns } = decodeMessages(body['messages']);
  checkToolResults(turns, 'tool_call_id');
  const tier = read.string(body['service_tier'], 'service_tier');
  const rest = membersBesides(body, tier === undefined || isTier(tier) ? KNOWN : OTHER_TIER);
  return {
    from: 'openai-chat',
    model: address.model ?? read.string(body['model'], 'model') ?? '',
    stream: read.boolean(body['stream'], 'stream') ?? false,
    system,
    turns,
    ...decodeTools(body),
    ...decodeToolChoice(body),
    ...sampling(body),
    ...limits(body),
    ...output(body),
    ...hints(body),
    ...(rest === undefined ? {} : { x: { 'openai-chat': rest } }),
    paths: pathsOf(body),
  };
}

/** Returns the paths of the members in the spelling that the client used. */
function pathsOf(body: JsonObject): CallPaths {
  const maxTokens =
    isAbsent(body['max_tokens']) && !isAbsent(body['max_completion_tokens'])
      ? 'max_completion_tokens'
      : 'max_tokens';
  const user = isAbsent(body['user']) && !isAbsent(body['safety_identifier']) ? 'safety_identifier' : 'user';
  const cache = isAbsent(body['prompt_cache_key']) ? 'prompt_cache_retention' : 'prompt_cache_key';
  return { ...PATHS, maxTokens, user, cache };
}

function sampling(body: JsonObject): Partial<ModelCall> {
  const number = (name: string): number | undefined => read.number(body[name], name);
  return {
    ...optional('n', read.integer(body['n'], 'n')),
    ...optional('temperature', number('temperature')),
    ...optional('topP', number('top_p')),
    ...optional('topK', number('top_k')),
    ...optional('minP', number('min_p')),
    ...optional('frequencyPenalty', number('frequency_penalty')),
    ...optional('presencePenalty', number('presence_penalty')),
    ...optional('seed', read.integer(body['seed'], 'seed')),
    ...optional('logitBias', logitBias(body)),
    ...optional('logprobs', logprobs(body)),
  };
}

function logitBias(body: JsonObject): Record<string, number> | undefined {
  const bias = read.object(body['logit_bias'], 'logit_bias');
  if (bias === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(bias).map(([token, value]) => [
      token,
      required(read.number(value, `logit_bias.${token}`), `logit_bias.${token}`, 'a number'),
    ]),
  );
}

function logprobs(body: JsonObject): { top: number } | undefined {
  if (read.boolean(body['logprobs'], 'logprobs') !== true) return undefined;
  return { top: read.integer(body['top_logprobs'], 'top_logprobs') ?? 0 };
}

function limits(body: JsonObject): Partial<ModelCall> {
  const old = read.integer(body['max_tokens'], 'max_tokens');
  const current = read.integer(body['max_completion_tokens'], 'max_completion_tokens');
  if (old !== undefined && current !== undefined && old !== current) {
    throw invalid('max_tokens', 'max_tokens and max_completion_tokens differ; send one of them.');
  }
  const { stop } = body;
  const stops = typeof stop === 'string' ? [stop] : read.strings(stop, 'stop');
  return {
    ...optional('maxTokens', current ?? old),
    ...(stops === undefined || stops.length === 0 ? {} : { stop: stops }),
  };
}

function output(body: JsonObject): Partial<ModelCall> {
  const audio = read.object(body['audio'], 'audio');
  const modalities = read.strings(body['modalities'], 'modalities')?.map((name) => {
    if (name === 'text' || name === 'image' || name === 'audio') return name;
    throw invalid('modalities', 'modalities may have text, image and audio.');
  });
  return {
    ...optional('output', outputFormat(body)),
    ...optional('modalities', modalities),
    ...(audio === undefined
      ? {}
      : { audioOut: { voice: asString(audio['voice']) ?? '', format: asString(audio['format']) ?? '' } }),
    ...optional('verbosity', oneOf(body, 'verbosity', VERBOSITIES)),
    ...optional('reasoning', reasoning(body)),
  };
}

function outputFormat(body: JsonObject): OutputFormat | undefined {
  const format = read.object(body['response_format'], 'response_format');
  if (format === undefined) return undefined;
  switch (format['type']) {
    case 'text':
      return { kind: 'text' };
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema': {
      const path = 'response_format.json_schema';
      const given = required(read.object(format['json_schema'], path), path, 'an object with a schema');
      return {
        kind: 'schema',
        schema: read.object(given['schema'], `${path}.schema`) ?? {},
        ...optional('name', read.string(given['name'], `${path}.name`)),
        ...optional('description', read.string(given['description'], `${path}.description`)),
        ...optional('strict', read.boolean(given['strict'], `${path}.strict`)),
      };
    }
    case 'grammar':
      return { kind: 'grammar', grammar: read.string(format['grammar'], 'response_format.grammar') ?? '' };
    default:
      throw invalid('response_format.type', 'response_format.type must be text, json_object or json_schema.');
  }
}

const VERBOSITIES = ['low', 'medium', 'high'] as const;
const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

function reasoning(body: JsonObject): Reasoning | undefined {
  const effort = oneOf(body, 'reasoning_effort', EFFORTS);
  return effort === undefined ? undefined : { effort };
}

function oneOf<T extends string>(body: JsonObject, name: string, values: readonly T[]): T | undefined {
  const given = read.string(body[name], name);
  if (given === undefined) return undefined;
  const value = values.find((known) => known === given);
  if (value === undefined) throw invalid(name, `${name} must be one of ${values.join(', ')}.`);
  return value;
}

const TIERS: ReadonlySet<string> = new Set<ServiceTier>([
  'auto',
  'default',
  'flex',
  'priority',
  'scale',
  'batch',
  'fast',
]);
const isTier = (name: string | undefined): name is ServiceTier => name !== undefined && TIERS.has(name);

function hints(body: JsonObject): Partial<ModelCall> {
  const tier = read.string(body['service_tier'], 'service_tier');
  const safety = objectsOf(body['safety_settings']).map((item) => ({
    category: asString(item['category']) ?? '',
    threshold: asString(item['threshold']) ?? '',
  }));
  const key = read.string(body['prompt_cache_key'], 'prompt_cache_key');
  const isLong = body['prompt_cache_retention'] === '24h';
  const streamUsage = asObject(body['stream_options'])?.['include_usage'] === true;
  return {
    ...optional('parallelTools', read.boolean(body['parallel_tool_calls'], 'parallel_tool_calls')),
    ...(key === undefined && !isLong
      ? {}
      : { cache: { ...optional('key', key), ...(isLong ? { ttl: '24h' } : {}) } }),
    ...(isTier(tier) ? { serviceTier: tier } : {}),
    ...optional(
      'user',
      read.string(body['safety_identifier'], 'safety_identifier') ?? read.string(body['user'], 'user'),
    ),
    ...optional('metadata', metadataOf(body)),
    ...optional('store', read.boolean(body['store'], 'store')),
    ...(safety.length === 0 ? {} : { safety }),
    ...optional('prediction', predictionOf(body)),
    ...(streamUsage ? { streamUsage } : {}),
  };
}

function metadataOf(body: JsonObject): Record<string, string> | undefined {
  const metadata = read.object(body['metadata'], 'metadata');
  if (metadata === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

function predictionOf(body: JsonObject): string | undefined {
  const content = asObject(body['prediction'])?.['content'];
  if (typeof content === 'string') return content;
  return Array.isArray(content)
    ? objectsOf(content)
        .map((part) => asString(part['text']) ?? '')
        .join('')
    : undefined;
}
