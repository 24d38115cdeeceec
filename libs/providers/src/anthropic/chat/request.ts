import { asObject, asString } from '../../dialects/json';
import type { JsonObject } from '../../provider';
import { toMessages } from './messages';
import { refuse } from './refuse';
import { toToolChoice, toTools } from './tools';

/** Anthropic requires `max_tokens` where OpenAI has no limit; every current model takes this many. */
export const DEFAULT_MAX_TOKENS = 4_096;

/** Members of a chat request that have a place of their own below; all others pass through under their own names. */
const TRANSLATED: ReadonlySet<string> = new Set([
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'stop',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'user',
  'safety_identifier',
  'metadata',
  'response_format',
  'reasoning_effort',
  'output_config',
  'service_tier',
  'stream_options',
]);

/** What Anthropic has no word for: accepted at the value that changes nothing, refused at any other. */
const NEUTRAL: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: (value) => value === 1,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  presence_penalty: (value) => value === 0,
  logit_bias: (value) => Object.keys(asObject(value) ?? { odd: true }).length === 0,
  seed: () => false,
  functions: () => false,
  function_call: () => false,
  prediction: () => false,
  audio: () => false,
  web_search_options: () => false,
  modalities: (value) => Array.isArray(value) && value.every((item) => item === 'text'),
  store: (value) => value === false,
};

const EFFORTS: ReadonlySet<unknown> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);

/** An OpenAI chat request as an Anthropic messages request. Throws a 400 that names what cannot be expressed. */
export function toMessagesRequest(body: JsonObject): JsonObject {
  const request: JsonObject = {};
  for (const [name, value] of Object.entries(body)) {
    const neutral = Object.hasOwn(NEUTRAL, name) ? NEUTRAL[name] : undefined;
    if (neutral !== undefined) {
      if (value !== null && !neutral(value)) {
        throw refuse(name, `Anthropic has no equivalent of ${name}; leave it out.`);
      }
    } else if (!TRANSLATED.has(name)) request[name] = value;
  }
  const { system, messages } = toMessages(body['messages']);
  const tools = toTools(body['tools']);
  return {
    ...request,
    ...(system.length > 0 ? { system } : {}),
    messages,
    max_tokens: maxTokens(body),
    ...(tools === null ? {} : { tools }),
    ...toToolChoice(body, tools !== null),
    ...stopSequences(body['stop']),
    ...temperature(body['temperature']),
    ...metadata(body),
    ...outputConfig(body),
    ...effortNone(body),
    ...serviceTier(body['service_tier']),
  };
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

function maxTokens(body: JsonObject): unknown {
  const { max_completion_tokens: current, max_tokens: former } = body;
  if (isSet(current) && isSet(former) && current !== former) {
    throw refuse('max_tokens', 'max_tokens and max_completion_tokens differ; send one of them.');
  }
  return current ?? former ?? DEFAULT_MAX_TOKENS;
}

function stopSequences(stop: unknown): JsonObject {
  if (!isSet(stop)) return {};
  return { stop_sequences: Array.isArray(stop) ? (stop as unknown[]) : [stop] };
}

/** OpenAI's scale ends at 2, Anthropic's at 1: a value that only one of them has is refused rather than bent. */
function temperature(value: unknown): JsonObject {
  if (!isSet(value)) return {};
  if (typeof value === 'number' && value >= 0 && value <= 1) return { temperature: value };
  throw refuse('temperature', 'Anthropic takes a temperature from 0 to 1.');
}

function metadata(body: JsonObject): JsonObject {
  const user = body['user'] ?? body['safety_identifier'] ?? null;
  const given = asObject(body['metadata']);
  if (user === null) return given === null ? {} : { metadata: given };
  return { metadata: { ...given, user_id: user } };
}

function outputConfig(body: JsonObject): JsonObject {
  const format = outputFormat(body['response_format']);
  const effort = body['reasoning_effort'] ?? null;
  if (effort !== null && effort !== 'none' && !EFFORTS.has(effort)) {
    throw refuse('reasoning_effort', 'Anthropic takes the efforts none, low, medium, high, xhigh and max.');
  }
  const config = {
    ...asObject(body['output_config']),
    ...(format === null ? {} : { format }),
    ...(effort === null || effort === 'none' ? {} : { effort }),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

function outputFormat(value: unknown): JsonObject | null {
  if (!isSet(value)) return null;
  const format = asObject(value);
  const type = asString(format?.['type']);
  if (type === 'text') return null;
  if (type === 'json_schema') {
    const schema = asObject(asObject(format?.['json_schema'])?.['schema']);
    if (schema !== null) return { type: 'json_schema', schema };
    throw refuse('response_format.json_schema.schema', 'A JSON schema is required.');
  }
  if (type === 'json_object') {
    throw refuse('response_format.type', 'Anthropic has no json_object mode; use json_schema.');
  }
  throw refuse('response_format.type', 'The type must be text or json_schema.');
}

/** No effort at all is Anthropic's thinking switched off; a `thinking` of the caller's own wins. */
const effortNone = (body: JsonObject): JsonObject =>
  body['reasoning_effort'] === 'none' && !isSet(body['thinking']) ? { thinking: { type: 'disabled' } } : {};

function serviceTier(tier: unknown): JsonObject {
  if (!isSet(tier)) return {};
  if (tier === 'auto' || tier === 'standard_only') return { service_tier: tier };
  if (tier === 'default') return { service_tier: 'standard_only' };
  throw refuse('service_tier', 'Anthropic takes the service tiers auto, default and standard_only.');
}
