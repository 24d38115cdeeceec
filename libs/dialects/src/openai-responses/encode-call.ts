import { pathOf, type JsonObject, type ModelCall, type OutputFormat } from '../call';
import type { ProviderCall } from '../codec';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { compact } from '../values/json';
import { dropMembers } from './drops';
import { encodeReasoning } from './effort';
import { isOwnCall } from './encode-content';
import { encodeInput } from './encode-input';
import { recordLosses, returnsLogprobs, sampling } from './encode-losses';
import { encodeToolChoice, encodeTools } from './encode-tools';
import { DIALECT } from './own';

/** Name of an output schema whose client gave none; the API requires one. */
const SCHEMA_NAME = 'response';

export function encodeCall(call: ModelCall, target: Target, losses: LossLedger): ProviderCall {
  const own = call.x?.[DIALECT] ?? {};
  const { instructions, input } = encodeInput(call, { call, target, losses });
  recordLosses(call, target, losses);
  const body = compact({
    ...own,
    model: target.model,
    instructions,
    input: input.length === 0 && isOwnCall(call) ? undefined : input,
    ...(call.stream ? { stream: true } : {}),
    ...encodeToolMembers(call, losses),
    text: encodeText(call, own),
    reasoning: merged(encodeReasoning(call, target, losses), own['reasoning']),
    ...sampling(call, target, losses),
    ...encodeHints(call, target, losses),
    ...encodeState(call),
    include: encodeInclude(call, target),
  });
  if (!isOwnCall(call)) dropMembers(body, call, target, losses);
  return { path: '/responses', body };
}

function encodeToolMembers(call: ModelCall, losses: LossLedger): JsonObject {
  const tools = encodeTools(call, losses);
  return {
    tools: tools?.length === 0 && !isOwnCall(call) ? undefined : tools,
    ...(call.toolChoice === undefined ? {} : { tool_choice: encodeToolChoice(call.toolChoice, call.tools) }),
    parallel_tool_calls: call.parallelTools,
  };
}

function merged(members: JsonObject | undefined, own: unknown): JsonObject | undefined {
  if (own === undefined) return members;
  return { ...(own as JsonObject), ...members };
}

function encodeText(call: ModelCall, own: JsonObject): JsonObject | undefined {
  const text = {
    ...(call.output === undefined ? {} : { format: encodeFormat(call.output) }),
    ...(call.verbosity === undefined ? {} : { verbosity: call.verbosity }),
  };
  return Object.keys(text).length === 0 && own['text'] === undefined ? undefined : merged(text, own['text']);
}

function encodeFormat(output: OutputFormat): JsonObject {
  switch (output.kind) {
    case 'text':
      return { type: 'text' };
    case 'json':
      return { type: 'json_object' };
    case 'schema':
      return compact({
        type: 'json_schema',
        name: output.name ?? SCHEMA_NAME,
        description: output.description,
        schema: output.schema,
        strict: output.strict,
      });
    case 'grammar':
      // `recordLosses` refuses it.
      return { type: 'text' };
  }
}

const TIERS: ReadonlySet<string> = new Set(['auto', 'default', 'flex', 'scale', 'priority']);

function encodeHints(call: ModelCall, target: Target, losses: LossLedger): JsonObject {
  const isTier = call.serviceTier !== undefined && (TIERS.has(call.serviceTier) || isOwnCall(call));
  if (call.serviceTier !== undefined && !isTier) losses.note(pathOf(call, 'serviceTier'));
  return {
    service_tier: isTier ? call.serviceTier : undefined,
    ...(call.user === undefined
      ? {}
      : { [pathOf(call, 'user') === 'user' ? 'user' : 'safety_identifier']: call.user }),
    metadata: call.metadata,
    truncation: call.truncation,
    ...encodeCache(call, target, losses),
  };
}

function encodeCache(call: ModelCall, target: Target, losses: LossLedger): JsonObject {
  const { key, ttl, auto, resource } = call.cache ?? {};
  const path = pathOf(call, 'cache');
  if (resource !== undefined)
    losses.refuse(path, 'The provider has no such cached content; send the content.');
  // The API caches the whole prompt without a mark.
  if (auto === true) losses.note(path, 'approximated', 'automatic caching');
  if (ttl === '5m' || ttl === '1h') losses.note(path, 'approximated', 'the lifetime of the provider');
  return {
    prompt_cache_key: key,
    ...(ttl === '24h' ? { prompt_cache_retention: '24h' } : {}),
    ...encodeCacheOptions(call, target),
  };
}

function encodeCacheOptions(call: ModelCall, target: Target): JsonObject {
  const isMarked = !isOwnCall(call) && target.capabilities.cacheBreakpoints && hasMarks(call);
  const written = {
    ...(isMarked ? { mode: 'explicit' } : {}),
    ...(call.cache?.ttl === '30m' ? { ttl: '30m' } : {}),
  };
  if (Object.keys(written).length === 0) return {};
  return { prompt_cache_options: merged(written, call.x?.[DIALECT]?.['prompt_cache_options']) };
}

/**
 * Returns whether a part has a cache mark where this API accepts marks: in user and system text.
 */
const hasMarks = (call: ModelCall): boolean =>
  call.system.some(({ cache }) => cache !== undefined) ||
  call.turns.some(
    ({ role, parts }) =>
      role !== 'assistant' && parts.some(({ cache, kind }) => cache !== undefined && kind !== 'tool_result'),
  );

function encodeState(call: ModelCall): JsonObject {
  const { responseId, conversationId } = call.previous ?? {};
  const isDefault = isOwnCall(call) && call.paths.store === undefined;
  return {
    // The API stores responses by default, which clients of other dialects do not expect.
    store: isDefault ? undefined : (call.store ?? false),
    previous_response_id: responseId,
    conversation: conversationId,
    background: call.background,
  };
}

/**
 * Encodes `include`. If responses are not stored, reasoning can be sent back only with its seal,
 * which must be requested.
 */
function encodeInclude(call: ModelCall, target: Target): string[] | undefined {
  const wantsSeal =
    call.sealedReasoning === true ||
    (!isOwnCall(call) && call.store !== true && target.capabilities.isReasoning);
  const include = [
    ...(call.include ?? []),
    ...(wantsSeal ? ['reasoning.encrypted_content'] : []),
    ...(returnsLogprobs(call, target) ? ['message.output_text.logprobs'] : []),
  ];
  return include.length === 0 ? undefined : include;
}
