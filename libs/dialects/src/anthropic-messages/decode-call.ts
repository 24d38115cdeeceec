import type { Effort, JsonObject, ModelCall, OutputFormat, Reasoning } from '../call';
import { invalid } from '../losses';
import { asObject, isAbsent, membersBesides, optional, read, required } from '../values/json';
import { decodeCacheMark } from './cache-mark';
import { decodeMessages } from './decode-messages';
import { decodeTools } from './decode-tools';
import { DIALECT, PATHS } from './paths';

const KNOWN: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'stream',
  'tools',
  'tool_choice',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'metadata',
  'thinking',
  'output_config',
  'output_format',
  'service_tier',
  'speed',
  'cache_control',
]);

/** Decodes the body of `/v1/messages`. */
export function decodeCall(body: JsonObject): ModelCall {
  const call = decodeTokenCount(body);
  required(call.maxTokens, 'max_tokens', 'the maximum number of output tokens');
  return call;
}

/** Decodes the body of `/v1/messages/count_tokens`, which has no `max_tokens`. */
export function decodeTokenCount(body: JsonObject): ModelCall {
  const maxTokens = read.integer(body['max_tokens'], 'max_tokens');
  if (maxTokens !== undefined && maxTokens < 0)
    throw invalid('max_tokens', 'max_tokens must not be negative.');
  const stop = read.strings(body['stop_sequences'], 'stop_sequences');
  const x = unplaced(body);
  return {
    from: DIALECT,
    model: required(read.string(body['model'], 'model'), 'model', 'the name of a model'),
    stream: read.boolean(body['stream'], 'stream') ?? false,
    ...decodeMessages(body),
    ...decodeTools(body),
    ...optional('maxTokens', maxTokens),
    ...(stop === undefined || stop.length === 0 ? {} : { stop }),
    ...optional('temperature', read.number(body['temperature'], 'temperature')),
    ...optional('topP', read.number(body['top_p'], 'top_p')),
    ...optional('topK', read.integer(body['top_k'], 'top_k')),
    ...optional('output', decodeOutput(body)),
    ...optional('reasoning', decodeReasoning(body)),
    ...hints(body),
    ...(x === undefined ? {} : { x: { [DIALECT]: x } }),
    paths: pathsOf(body),
  };
}

function pathsOf(body: JsonObject): ModelCall['paths'] {
  const reasoning = isAbsent(body['thinking']) ? 'output_config.effort' : 'thinking';
  const output = isAbsent(body['output_format']) ? 'output_config.format' : 'output_format';
  const serviceTier = isAbsent(body['service_tier']) ? 'speed' : 'service_tier';
  return { ...PATHS, reasoning, output, serviceTier };
}

const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** Reads `thinking` and the effort of `output_config`. */
export function decodeReasoning(body: JsonObject): Reasoning | undefined {
  const thinking = read.object(body['thinking'], 'thinking');
  const effort = decodeEffort(body);
  const summary = decodeDisplay(thinking);
  switch (thinking?.['type']) {
    case undefined:
      // The effort alone does not turn thinking on.
      if (thinking !== undefined) throw invalid('thinking.type', 'thinking.type is required.');
      return effort === undefined ? undefined : { effort, adaptive: false };
    case 'enabled': {
      const path = 'thinking.budget_tokens';
      const budget = required(read.integer(thinking['budget_tokens'], path), path, 'a number of tokens');
      if (budget < 1) throw invalid(path, `${path} must be positive.`);
      return { budget, ...optional('effort', effort), ...summary };
    }
    case 'disabled':
      return { effort: 'none' };
    case 'adaptive':
      return { adaptive: true, ...optional('effort', effort), ...summary };
    default:
      return { adaptive: true, ...optional('effort', effort) };
  }
}

function decodeEffort(body: JsonObject): Effort | undefined {
  const path = 'output_config.effort';
  const given = read.string(read.object(body['output_config'], 'output_config')?.['effort'], path);
  if (given === undefined) return undefined;
  const effort = EFFORTS.find((known) => known === given);
  if (effort === undefined) throw invalid(path, `${path} must be one of ${EFFORTS.join(', ')}.`);
  return effort;
}

function decodeDisplay(thinking: JsonObject | undefined): Pick<Reasoning, 'summary'> {
  const display = thinking?.['display'];
  return display === 'summarized' ? { summary: 'auto' } : display === 'omitted' ? { summary: 'off' } : {};
}

function decodeOutput(body: JsonObject): OutputFormat | undefined {
  const config = read.object(body['output_config'], 'output_config');
  const isOld = !isAbsent(body['output_format']);
  const path = isOld ? 'output_format' : 'output_config.format';
  const format = read.object(isOld ? body['output_format'] : config?.['format'], path);
  if (format === undefined) return undefined;
  if (format['type'] !== 'json_schema') throw invalid(`${path}.type`, `${path}.type must be json_schema.`);
  const schema = read.object(format['schema'], `${path}.schema`);
  return { kind: 'schema', schema: required(schema, `${path}.schema`, 'a JSON Schema'), strict: true };
}

function hints(body: JsonObject): Partial<ModelCall> {
  const { cache } = decodeCacheMark(body, '');
  const user = read.string(read.object(body['metadata'], 'metadata')?.['user_id'], 'metadata.user_id');
  return {
    ...(cache === undefined ? {} : { cache: { auto: true, ...cache } }),
    ...optional('user', user),
    ...serviceTier(body),
  };
}

function serviceTier(body: JsonObject): Pick<ModelCall, 'serviceTier'> {
  const tier = read.string(body['service_tier'], 'service_tier');
  if (tier === 'auto') return { serviceTier: 'auto' };
  if (tier === 'standard_only') return { serviceTier: 'default' };
  if (tier !== undefined) throw invalid('service_tier', 'service_tier must be auto or standard_only.');
  return body['speed'] === 'fast' ? { serviceTier: 'fast' } : {};
}

const OUTPUT_CONFIG: ReadonlySet<string> = new Set(['effort', 'format']);
const METADATA: ReadonlySet<string> = new Set(['user_id']);

/**
 * Returns the top-level members, and parts of known members, that have no place in the neutral
 * form.
 */
function unplaced(body: JsonObject): JsonObject | undefined {
  const metadata = asObject(body['metadata']);
  const x = {
    ...membersBesides(body, KNOWN),
    ...optional('thinking', unknownThinking(body)),
    ...optional('output_config', unplacedConfig(body)),
    ...optional('metadata', metadata === null ? undefined : membersBesides(metadata, METADATA)),
    ...(body['speed'] === 'fast' && !isAbsent(body['service_tier']) ? { speed: 'fast' } : {}),
  };
  return Object.keys(x).length === 0 ? undefined : x;
}

function unknownThinking(body: JsonObject): JsonObject | undefined {
  const thinking = asObject(body['thinking']);
  return thinking === null || NEUTRAL_THINKING.has(thinking['type']) ? undefined : thinking;
}

/**
 * Returns the members of `output_config` without a neutral place: unknown ones, and an effort
 * without thinking.
 */
function unplacedConfig(body: JsonObject): JsonObject | undefined {
  const config = asObject(body['output_config']);
  if (config === null) return undefined;
  const rest = membersBesides(config, OUTPUT_CONFIG);
  const { effort } = config;
  const isOff = asObject(body['thinking'])?.['type'] === 'disabled';
  return isOff && !isAbsent(effort) ? { ...rest, effort } : rest;
}

const NEUTRAL_THINKING: ReadonlySet<unknown> = new Set(['enabled', 'disabled', 'adaptive']);
