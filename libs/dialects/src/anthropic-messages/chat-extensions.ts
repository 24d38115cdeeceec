import type { JsonObject, ModelCall, Part, Tool } from '../call';
import { asObject, asString, isAbsent, optional } from '../values/json';
import { decodeCacheMark } from './cache-mark';
import { decodeReasoning } from './decode-call';
import { decodeBlock } from './decode-parts';
import { DIALECT } from './paths';

/** Members of Anthropic's dialect that clients of Chat Completions send to Claude. */
const MEMBERS: ReadonlySet<string> = new Set([
  'thinking',
  'output_config',
  'cache_control',
  'container',
  'mcp_servers',
  'context_management',
  'inference_geo',
  'speed',
]);

/**
 * Adds the members of Anthropic's dialect that a Chat Completions client sent to its call; they
 * take precedence.
 */
export function withAnthropicMembers(call: ModelCall): ModelCall {
  const given = call.x?.['openai-chat'];
  if (given === undefined || !Object.keys(given).some((name) => MEMBERS.has(name))) return call;
  const own: JsonObject = {};
  const rest: JsonObject = {};
  for (const name in given) (MEMBERS.has(name) ? own : rest)[name] = given[name];
  const { thinking, output_config: config, cache_control: _mark, ...others } = own;
  const { cache } = decodeCacheMark(own, '');
  return {
    ...call,
    ...(cache === undefined ? {} : { cache: { ...call.cache, ...cache, auto: true } }),
    ...reasoningOf(call, { thinking, output_config: config }),
    x: { ...call.x, 'openai-chat': rest, [DIALECT]: others },
  };
}

function reasoningOf(call: ModelCall, own: JsonObject): Pick<ModelCall, 'reasoning' | 'paths'> | object {
  const isThinking = !isAbsent(own['thinking']);
  const effort = asObject(own['output_config'])?.['effort'];
  if (!isThinking && isAbsent(effort)) return {};
  return {
    ...optional('reasoning', decodeReasoning(own)),
    paths: { ...call.paths, reasoning: isThinking ? 'thinking' : 'output_config.effort' },
  };
}

const BLOCKS: ReadonlySet<string> = new Set(['image', 'document', 'search_result']);

/**
 * Returns the part for a block of Anthropic's dialect in a chat message; null for any other part.
 */
export function anthropicBlock(part: Extract<Part, { kind: 'opaque' }>): Part | null {
  const type = asString(part.data['type']);
  if (part.dialect !== 'openai-chat' || type === null || !BLOCKS.has(type)) return null;
  return decodeBlock(part.data, part.at ?? 'messages');
}

/** Anthropic's names of its own tools end in a date. */
const VERSIONED = /_20\d{6}$/;

/**
 * Returns a tool of Anthropic's dialect that a client of Chat Completions sent; null for any other
 * tool.
 */
export function anthropicTool({ hosted }: Tool): JsonObject | null {
  if (hosted === undefined) return null;
  if (hosted.dialect === DIALECT) return { type: hosted.type, ...hosted.config };
  return hosted.dialect === 'openai-chat' && hosted.type.length <= 64 && VERSIONED.test(hosted.type)
    ? { ...hosted.config }
    : null;
}
