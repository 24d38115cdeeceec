import { pathOf, type JsonObject, type ModelCall, type ServiceTier } from '../call';
import type { ProviderCall } from '../codec';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { asObject, compact } from '../values/json';
import { assumedMaxTokens, encodeMaxTokens } from '../values/max-tokens';
import { recordMissing } from '../values/missing-members';
import { withAnthropicMembers } from './chat-extensions';
import { CacheMarks } from './cache-marks';
import { encodeMessages, type EncodedMessages } from './encode-messages';
import { encodeOutput, OUTPUT_TOOL, type EncodedOutput } from './encode-output';
import { isBlank } from './encode-parts';
import { encodeSampling } from './encode-sampling';
import { encodeThinking, type Thinking } from './encode-thinking';
import { encodeTools, isForced } from './encode-tools';
import { MISSING } from './missing';
import { DIALECT } from './paths';

/** Encodes a call as the body of `/v1/messages`. */
export function encodeCall(original: ModelCall, target: Target, losses: LossLedger): ProviderCall {
  const call = withAnthropicMembers(original);
  const { body, output } = content(call, target, losses, encodeMaxTokens(call, target, losses));
  recordMissing(call, MISSING, losses);
  return {
    path: '/messages',
    body: withExtensions(body, call),
    ...(output.tool === undefined ? {} : { outputTool: true }),
  };
}

/**
 * Returns the body of `/v1/messages/count_tokens`: the members that count as input, without limits
 * and sampling.
 */
export function countTokensBody(original: ModelCall, target: Target, losses: LossLedger): JsonObject {
  const call = withAnthropicMembers(original);
  const { body } = content(call, target, losses, assumedMaxTokens(call, target));
  const { model, messages, system, tools, tool_choice, thinking, output_config, cache_control } = body;
  return compact({ model, messages, system, tools, tool_choice, thinking, output_config, cache_control });
}

function content(
  call: ModelCall,
  target: Target,
  losses: LossLedger,
  maxTokens: number,
): { body: JsonObject; output: EncodedOutput } {
  const marks = new CacheMarks(losses);
  const output = encodeOutput(call, target, losses);
  const tools =
    output.tool === undefined ? encodeTools(call, target, losses, marks) : forcedTool(output.tool);
  const messages = encodeMessages(call, target, losses, marks);
  marks.finish(call.cache?.auto === true);
  const planned = encodeThinking(call, target, losses, { maxTokens, hasThinking: messages.hasThinking });
  const thinking = compatible(planned, call, messages, output, losses);
  refusePrefill(call, target, messages, losses);
  const body = compact({
    model: target.model,
    max_tokens: maxTokens,
    system: messages.system.length === 0 ? undefined : messages.system,
    messages: messages.messages,
    ...tools,
    stop_sequences: encodeStop(call, losses),
    ...encodeSampling(call, target, losses, thinking.hasBudget),
    thinking: thinking.thinking,
    output_config: outputConfig(thinking, output),
    metadata: userOf(call) === undefined ? undefined : { user_id: userOf(call) },
    ...serviceTier(call, losses),
    cache_control: automaticCache(call, losses),
    stream: call.stream ? true : undefined,
  });
  return { body, output };
}

const forcedTool = (tool: JsonObject): JsonObject => ({
  tools: [tool],
  tool_choice: { type: 'tool', name: OUTPUT_TOOL, disable_parallel_tool_use: true },
});

/**
 * Disables thinking with a budget next to a forced tool, an output tool or a prefill, which the
 * model does not accept with it. A forced tool refuses the call; the others are losses of the
 * reasoning.
 */
function compatible(
  thinking: Thinking,
  call: ModelCall,
  { prefill }: EncodedMessages,
  output: EncodedOutput,
  losses: LossLedger,
): Thinking {
  if (!thinking.hasBudget) return thinking;
  const path = pathOf(call, 'reasoning');
  if (isForced(call) && (call.tools ?? []).length > 0) {
    losses.refuse(
      pathOf(call, 'toolChoice'),
      'With thinking, the model takes the tool choices auto and none only.',
    );
  } else if (output.tool !== undefined) {
    losses.parameter(path, 'The model takes no thinking together with a schema of the output.');
  } else if (prefill !== undefined) {
    losses.parameter(path, 'The model takes no thinking when the last message is of the assistant.');
  } else return thinking;
  return { hasBudget: false };
}

function refusePrefill(
  { turns }: ModelCall,
  target: Target,
  { prefill }: EncodedMessages,
  losses: LossLedger,
): void {
  if (prefill === undefined || target.capabilities.prefill) return;
  losses.refuse(
    turns.at(-1)?.at ?? prefill,
    `${target.model} takes no start of the response: the last message must not be of the assistant.`,
  );
}

/**
 * Returns the user id. Anthropic has it in `metadata`, where clients of other dialects may send it
 * too.
 */
const userOf = ({ user, metadata }: ModelCall): string | undefined => user ?? metadata?.['user_id'];

function encodeStop(call: ModelCall, losses: LossLedger): string[] | undefined {
  const { stop = [] } = call;
  const taken = stop.filter((sequence) => !isBlank(sequence));
  if (taken.length < stop.length)
    losses.parameter(pathOf(call, 'stop'), 'Anthropic takes no stop sequences of white space only.');
  return taken.length === 0 ? undefined : taken;
}

function outputConfig({ effort }: Thinking, { format }: EncodedOutput): JsonObject | undefined {
  if (effort === undefined && format === undefined) return undefined;
  return compact({ effort, format });
}

/**
 * Members for each tier; null for a tier without equivalent. `auto` uses priority capacity if the
 * account has bought it.
 */
const TIERS: Readonly<Record<ServiceTier, JsonObject | null>> = {
  auto: { service_tier: 'auto' },
  default: { service_tier: 'standard_only' },
  priority: { service_tier: 'auto' },
  fast: { speed: 'fast' },
  flex: null,
  scale: null,
  batch: null,
};

function serviceTier(call: ModelCall, losses: LossLedger): JsonObject {
  const tier = call.serviceTier;
  if (tier === undefined) return {};
  const path = pathOf(call, 'serviceTier');
  if (TIERS[tier] === null) losses.note(path);
  else if (tier === 'priority') losses.note(path, 'approximated', 'auto');
  return TIERS[tier] ?? {};
}

function automaticCache(call: ModelCall, losses: LossLedger): JsonObject | undefined {
  const { cache } = call;
  if (cache?.auto !== true) return undefined;
  if (cache.ttl === undefined || cache.ttl === '5m' || cache.ttl === '1h')
    return compact({ type: 'ephemeral', ttl: cache.ttl });
  losses.note(pathOf(call, 'cache'), 'approximated', 'ephemeral 5m');
  return { type: 'ephemeral' };
}

/** Writes the client's own members back; an object that both have is merged. */
function withExtensions(body: JsonObject, call: ModelCall): JsonObject {
  const x = call.x?.[DIALECT];
  if (x === undefined) return body;
  const merged: JsonObject = { ...body };
  for (const name in x) {
    const [encoded, original] = [asObject(body[name]), asObject(x[name])];
    const isMerged = encoded !== null && original !== null && name !== 'thinking';
    merged[name] = isMerged ? { ...encoded, ...original } : x[name];
  }
  return merged;
}
