import { isForced } from '../anthropic-messages/encode-tools';
import { MISSING as CLAUDE } from '../anthropic-messages/missing';
import { pathOf, type JsonObject, type ModelCall, type ServiceTier } from '../call';
import type { ProviderCall } from '../codec';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { assumedMaxTokens, encodeMaxTokens } from '../values/max-tokens';
import { recordMissing, type MissingMembers } from '../values/missing-members';
import { betaFlags } from '../bedrock-invoke/betas';
import { CachePoints } from './cache-points';
import { DocumentNames } from './document-names';
import { encodeConfig } from './encode-config';
import type { MediaFacts } from './encode-media';
import { encodeOutput, type EncodedOutput } from './encode-output';
import { encodeReasoning, type EncodedThinking } from './encode-thinking';
import { encodeToolList, encodeTools, type EncodedTools } from './encode-tools';
import { encodeTurns, type EncodedTurns } from './encode-turns';
import { STOP_SEQUENCE_PATHS } from './finish';
import { targetPath } from './model-path';
import { modelOf, resolvedTarget } from './models';

const MISSING: MissingMembers = {
  ...CLAUDE,
  dialect: 'bedrock-converse',
  name: 'Bedrock',
  hints: ['seed', 'store', 'prediction', 'safety', 'truncation', 'cache', 'user', 'include'],
  contracts: ['modalities', 'audioOut'],
  rules: { cache: CLAUDE.rules.cache, audioOut: CLAUDE.rules.audioOut },
};

/** Encodes a `Converse` or `ConverseStream` request. */
export function encodeCall(call: ModelCall, target: Target, losses: LossLedger): ProviderCall {
  const resolved = resolvedTarget(target);
  const content = encodeContent(call, resolved, losses);
  const { turns, tools, output } = content;
  recordMissing(call, MISSING, losses);
  const thinking = planThinking(call, content, resolved, losses);
  refusePrefill(call, turns, resolved, losses);
  const config = encodeConfig(call, {
    model: content.facts.model,
    target: resolved,
    losses,
    hasBudget: thinking.hasBudget,
    maxTokens: maxTokensOf(call, thinking, resolved, losses),
  });
  const body = {
    messages: turns.messages,
    ...nonEmptyList('system', turns.system),
    ...nonEmpty('inferenceConfig', config.inferenceConfig),
    ...toolConfig(tools, output),
    ...(call.guardrail === undefined ? {} : { guardrailConfig: call.guardrail }),
    ...nonEmpty(
      'additionalModelRequestFields',
      requestFields(call, content, thinking, config.fields, resolved),
    ),
    ...responseFields(call, content),
    ...(output.outputConfig === undefined ? {} : { outputConfig: output.outputConfig }),
    ...requestMetadata(call, losses),
    ...serviceTier(call, losses),
  };
  return {
    path: targetPath(target, call.stream ? 'converse-stream' : 'converse', losses),
    body,
    ...(output.toolConfig === undefined ? {} : { outputTool: true }),
  };
}

interface Content {
  readonly facts: MediaFacts;
  readonly turns: EncodedTurns;
  readonly tools: EncodedTools;
  readonly output: EncodedOutput;
}

/**
 * Encodes the members that count as input, in the order in which the provider caches them: tools,
 * system, messages.
 */
export function encodeContent(call: ModelCall, target: Target, losses: LossLedger): Content {
  const model = modelOf(target);
  const facts = { call, model, losses, names: new DocumentNames() };
  const points = new CachePoints(losses, model.cacheTtl);
  const list = encodeToolList(facts, points);
  const turns = encodeTurns(facts, target, points);
  const output = encodeOutput(facts, turns.hasToolBlocks);
  points.finish();
  return { facts, turns, tools: encodeTools(list, turns.hasToolBlocks, facts), output };
}

/** Returns the tools; the forced tool of the output is alone. */
export const toolConfig = (tools: EncodedTools, output: EncodedOutput): JsonObject => {
  const config = output.toolConfig ?? tools.toolConfig;
  return config === undefined ? {} : { toolConfig: config };
};

const nonEmpty = (name: string, object: JsonObject): JsonObject =>
  Object.keys(object).length === 0 ? {} : { [name]: object };

const nonEmptyList = (name: string, list: readonly JsonObject[]): JsonObject =>
  list.length === 0 ? {} : { [name]: list };

/**
 * Plans thinking. Disables a budget next to a forced tool, an output tool or a prefill, which the
 * model does not accept with it. A forced tool refuses the call; the others are losses of the
 * reasoning.
 */
function planThinking(
  call: ModelCall,
  content: Content,
  target: Target,
  losses: LossLedger,
): EncodedThinking {
  const { facts, turns, output } = content;
  const thinking = encodeReasoning(call, facts.model, target, losses, {
    maxTokens: assumedMaxTokens(call, target),
    hasThinking: turns.hasThinking,
  });
  if (!thinking.hasBudget) return thinking;
  const path = pathOf(call, 'reasoning');
  if (isForced(call) && (call.tools ?? []).length > 0) {
    losses.refuse(
      pathOf(call, 'toolChoice'),
      'With thinking, the model takes the tool choices auto and none only.',
    );
  } else if (output.toolConfig !== undefined) {
    losses.parameter(path, 'The model takes no thinking together with a schema of the output.');
  } else if (turns.prefill !== undefined) {
    losses.parameter(path, 'The model takes no thinking when the last message is of the assistant.');
  } else return thinking;
  return { fields: {}, hasBudget: false };
}

function refusePrefill(call: ModelCall, { prefill }: EncodedTurns, target: Target, losses: LossLedger): void {
  if (prefill === undefined || target.capabilities.prefill) return;
  losses.refuse(
    call.turns.at(-1)?.at ?? prefill,
    `${target.model} takes no start of the response: the last message must not be of the assistant.`,
  );
}

/**
 * Returns the maximum number of output tokens. It is sent with a thinking budget, which must be
 * smaller.
 */
const maxTokensOf = (
  call: ModelCall,
  { hasBudget }: EncodedThinking,
  target: Target,
  losses: LossLedger,
): number | undefined =>
  call.maxTokens === undefined && !hasBudget ? undefined : encodeMaxTokens(call, target, losses);

function requestFields(
  call: ModelCall,
  { facts, tools }: Content,
  thinking: EncodedThinking,
  sampling: JsonObject,
  target: Target,
): JsonObject {
  const flags = facts.model.family === 'claude' ? betaFlags(target, [], facts.losses) : [];
  const own = (thinking.fields['anthropic_beta'] ?? []) as readonly string[];
  const betas = [...new Set([...flags, ...own])];
  return {
    ...sampling,
    ...thinking.fields,
    ...(tools.claudeChoice === undefined || call.toolChoice?.mode === 'none'
      ? {}
      : { tool_choice: tools.claudeChoice }),
    ...(betas.length === 0 ? {} : { anthropic_beta: betas }),
  };
}

/** Requests that Claude returns the stop sequence that ended the response. */
const responseFields = ({ stop = [] }: ModelCall, { facts }: Content): JsonObject =>
  facts.model.family === 'claude' && stop.length > 0
    ? { additionalModelResponseFieldPaths: STOP_SEQUENCE_PATHS }
    : {};

/** Maximum entries of `requestMetadata`. */
const METADATA_MAX = 16;
const METADATA_TEXT = /^[A-Za-z0-9\s:_@$#=/+,.-]{0,256}$/;

function requestMetadata(call: ModelCall, losses: LossLedger): JsonObject {
  const { metadata } = call;
  if (metadata === undefined) return {};
  const taken: [string, string][] = [];
  for (const [key, value] of Object.entries(metadata)) {
    const isTaken =
      taken.length < METADATA_MAX && key !== '' && METADATA_TEXT.test(key) && METADATA_TEXT.test(value);
    if (isTaken) taken.push([key, value]);
    else losses.note(`${pathOf(call, 'metadata')}.${key.slice(0, 64)}`);
  }
  // `fromEntries` defines each name as an own member, `__proto__` too.
  return taken.length === 0 ? {} : { requestMetadata: Object.fromEntries(taken) };
}

const TIERS: Readonly<Partial<Record<ServiceTier, string>>> = {
  default: 'default',
  flex: 'flex',
  priority: 'priority',
};

function serviceTier(call: ModelCall, losses: LossLedger): JsonObject {
  const { serviceTier: tier } = call;
  if (tier === undefined || tier === 'auto') return {};
  const type = TIERS[tier];
  if (type === undefined) losses.note(pathOf(call, 'serviceTier'));
  return type === undefined ? {} : { serviceTier: { type } };
}
