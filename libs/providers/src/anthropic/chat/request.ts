import { asObject, asString } from '@gw/dialects';
import { DroppedParams } from '../../losses';
import type { JsonObject } from '../../provider';
import { toMessages } from './messages';
import { refuse } from './refuse';
import { toToolChoice, toTools } from './tools';
import { isLeftOut, userMetadata } from './unsupported';

/** Default of `max_tokens`, which Anthropic requires; every current model allows this many. */
export const DEFAULT_MAX_TOKENS = 4_096;

/**
 * Members of a chat request that are translated below; all others pass through under their own
 * names.
 */
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

const EFFORTS: ReadonlySet<unknown> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);

/**
 * Translates an OpenAI chat request to an Anthropic messages request. Throws a 400 that names what
 * cannot be expressed, unless it may be dropped.
 */
export function toMessagesRequest(body: JsonObject, losses = new DroppedParams(false)): JsonObject {
  const request: JsonObject = {};
  for (const [name, value] of Object.entries(body)) {
    if (!isLeftOut(name, value, losses) && !TRANSLATED.has(name)) request[name] = value;
  }
  const { system, messages } = toMessages(body['messages'], losses);
  const tools = toTools(body['tools'], losses);
  return {
    ...request,
    ...(system.length > 0 ? { system } : {}),
    messages,
    max_tokens: maxTokens(body),
    ...(tools === null ? {} : { tools }),
    ...toToolChoice(body, tools !== null, losses),
    ...stopSequences(body['stop']),
    ...temperature(body['temperature'], losses),
    ...userMetadata(body, losses),
    ...outputConfig(body, losses),
    ...effortNone(body),
    ...serviceTier(body['service_tier'], losses),
  };
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

function maxTokens(body: JsonObject): unknown {
  const { max_completion_tokens: current, max_tokens: legacy } = body;
  if (isSet(current) && isSet(legacy) && current !== legacy) {
    throw refuse('max_tokens', 'max_tokens and max_completion_tokens differ; send one of them.');
  }
  return current ?? legacy ?? DEFAULT_MAX_TOKENS;
}

function stopSequences(stop: unknown): JsonObject {
  if (!isSet(stop)) return {};
  return { stop_sequences: Array.isArray(stop) ? (stop as unknown[]) : [stop] };
}

/**
 * Translates the temperature. OpenAI's scale ends at 2, Anthropic's at 1: a higher value is
 * refused, or becomes 1.
 */
function temperature(value: unknown, losses: DroppedParams): JsonObject {
  if (!isSet(value)) return {};
  const rule = 'Anthropic accepts temperatures from 0 to 1.';
  if (typeof value !== 'number' || value < 0 || value > 2) throw refuse('temperature', rule);
  if (value > 1) losses.leaveOut('temperature', rule);
  return { temperature: Math.min(1, value) };
}

function outputConfig(body: JsonObject, losses: DroppedParams): JsonObject {
  const format = outputFormat(body['response_format'], losses);
  const effort = effortOf(body['reasoning_effort'], losses);
  const config = {
    ...asObject(body['output_config']),
    ...(format === null ? {} : { format }),
    ...(effort === null ? {} : { effort }),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

function effortOf(effort: unknown, losses: DroppedParams): unknown {
  if (!isSet(effort) || effort === 'none') return null;
  if (EFFORTS.has(effort)) return effort;
  const rule = 'Anthropic accepts the efforts none, low, medium, high, xhigh and max.';
  if (effort !== 'minimal') throw refuse('reasoning_effort', rule);
  losses.leaveOut('reasoning_effort', rule);
  return null;
}

function outputFormat(value: unknown, losses: DroppedParams): JsonObject | null {
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
    losses.leaveOut('response_format.type', 'Anthropic has no json_object mode; use json_schema.');
    return null;
  }
  throw refuse('response_format.type', 'The type must be text or json_schema.');
}

/** Translates effort `none` to disabled thinking; the caller's own `thinking` takes precedence. */
const effortNone = (body: JsonObject): JsonObject =>
  body['reasoning_effort'] === 'none' && !isSet(body['thinking']) ? { thinking: { type: 'disabled' } } : {};

function serviceTier(tier: unknown, losses: DroppedParams): JsonObject {
  if (!isSet(tier)) return {};
  if (tier === 'auto' || tier === 'standard_only') return { service_tier: tier };
  if (tier === 'default') return { service_tier: 'standard_only' };
  losses.leaveOut('service_tier', 'Anthropic accepts the service tiers auto, default and standard_only.');
  return {};
}
