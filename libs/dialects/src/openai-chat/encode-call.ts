import { pathOf, type CallMember, type JsonObject, type ModelCall, type OutputFormat } from '../call';
import type { ProviderCall } from '../codec';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { recordForeignMembers } from '../values/foreign-members';
import { asObject, compact, optional } from '../values/json';
import { refuseState } from '../values/missing-members';
import { encodeMessages } from './encode-messages';
import { encodeSampling, OPENAI_ITSELF, sentEffort } from './encode-sampling';
import { OPENAI_FORM, type ChatForm } from './form';
import { encodeTools } from './encode-tools';

/** Maximum number of stop sequences that OpenAI accepts. */
const STOPS_MAX = 4;

export const encodeCall = (call: ModelCall, target: Target, losses: LossLedger): ProviderCall =>
  encodeChatCall(call, target, losses, OPENAI_FORM);

/** Encodes a call as Chat Completions or a similar dialect. */
export function encodeChatCall(
  call: ModelCall,
  target: Target,
  losses: LossLedger,
  form: ChatForm,
): ProviderCall {
  const writer = new CallWriter(call, target, losses, form);
  return { path: '/chat/completions', body: writer.write() };
}

class CallWriter {
  constructor(
    private readonly call: ModelCall,
    private readonly target: Target,
    private readonly losses: LossLedger,
    private readonly form: ChatForm,
  ) {}

  /** Whether the client uses the dialect of the provider. */
  private get isNative(): boolean {
    return this.call.from === this.form.dialect;
  }

  write(): JsonObject {
    const { call, target, losses, form } = this;
    refuseState(call, losses);
    if (call.guardrail !== undefined)
      losses.refuse(pathOf(call, 'guardrail'), 'The provider has no guardrails.');
    recordForeignMembers(call, form.dialect, losses);
    return this.adjusted({
      model: target.model,
      messages: encodeMessages(call, target, losses, form),
      ...(call.stream ? this.stream() : {}),
      ...encodeTools(call, losses, form),
      ...encodeSampling(call, target, losses, this.isNative),
      ...this.limits(),
      ...this.output(),
      ...this.hints(),
      ...this.extensions(),
    });
  }

  private stream(): JsonObject {
    const isAsked = this.target.traits.usageOnRequest !== false;
    return { stream: true, ...(isAsked ? { stream_options: { include_usage: true } } : {}) };
  }

  private limits(): JsonObject {
    const { maxTokens, stop } = this.call;
    const field = this.target.traits.maxTokensField ?? 'max_completion_tokens';
    return { ...optional(field, maxTokens), ...(stop === undefined ? {} : this.stop(stop)) };
  }

  private stop(stop: readonly string[]): JsonObject {
    const path = pathOf(this.call, 'stop');
    if (this.target.capabilities.isReasoning && !this.isNative) {
      this.losses.parameter(path, 'The model takes no stop sequences.');
      return {};
    }
    if (stop.length <= STOPS_MAX || !this.form.isOpenAi || this.isNative) return { stop };
    return this.losses.parameter(
      path,
      'The provider takes at most four stop sequences.',
      'approximated',
      'the first four',
    )
      ? { stop: stop.slice(0, STOPS_MAX) }
      : {};
  }

  private output(): JsonObject {
    const { call, form } = this;
    if (call.output?.kind === 'grammar' && !form.isOpenAi)
      this.losses.refuse(
        pathOf(call, 'output'),
        'The provider cannot restrict its output to a grammar; use a JSON schema.',
      );
    const isSpoken = call.modalities?.includes('audio') === true;
    if (isSpoken && !this.isNative && form.isOpenAi)
      this.losses.refuse(pathOf(call, 'modalities'), 'Spoken responses have no form in your dialect.');
    return compact({
      response_format: responseFormat(call.output),
      modalities: call.modalities,
      audio: call.audioOut,
      verbosity: call.verbosity,
      ...(form.reasoning === null
        ? { reasoning_effort: this.effort() }
        : form.reasoning(call, this.target, this.losses)),
      prediction: call.prediction === undefined ? undefined : { type: 'content', content: call.prediction },
    });
  }

  private effort(): string | undefined {
    const { reasoning } = this.call;
    if (reasoning === undefined) return undefined;
    const path = pathOf(this.call, 'reasoning');
    const isSummarised = reasoning.summary !== undefined && reasoning.summary !== 'off';
    if (isSummarised) this.losses.note(this.call.paths.reasoningSummary ?? path);
    const effort = sentEffort(this.call, this.target);
    if (effort !== undefined && effort !== reasoning.effort)
      this.losses.note(path, 'approximated', `reasoning_effort ${effort}`);
    return effort;
  }

  private hints(): JsonObject {
    const { call, form } = this;
    this.noteHints();
    const isOpenAi = OPENAI_ITSELF.has(this.target.provider);
    return compact({
      [isOpenAi && pathOf(call, 'user') !== 'user' ? 'safety_identifier' : 'user']: call.user,
      metadata: call.metadata,
      service_tier: form.serviceTier === null ? this.tier() : form.serviceTier(call, this.losses),
      prompt_cache_key: call.cache?.key,
      prompt_cache_retention: call.cache?.ttl === '24h' ? '24h' : undefined,
      ...(this.isNative ? { store: call.store, safety_settings: call.safety } : {}),
    });
  }

  private noteHints(): void {
    const { call, losses } = this;
    if (call.truncation === 'auto') losses.note(pathOf(call, 'truncation'));
    if (call.cache?.auto === true || call.cache?.ttl === '30m') losses.note(pathOf(call, 'cache'));
    if (call.include !== undefined) losses.note(pathOf(call, 'include'));
    if (this.isNative) return;
    if (call.safety !== undefined) losses.note(pathOf(call, 'safety'));
    if (call.store === true) losses.note(pathOf(call, 'store'));
  }

  private tier(): string | undefined {
    const { serviceTier } = this.call;
    if (serviceTier !== 'batch' && serviceTier !== 'fast') return serviceTier;
    this.losses.note(pathOf(this.call, 'serviceTier'));
    return undefined;
  }

  private extensions(): JsonObject {
    return this.call.x?.[this.form.dialect] ?? {};
  }

  /** Applies the traits of the provider: dropped and renamed members, and ranges. */
  private adjusted(body: JsonObject): JsonObject {
    const { drop = [], rename = {}, clamp = {} } = this.target.traits;
    for (const name of drop) this.drop(body, name);
    for (const [name, [low, high]] of Object.entries(clamp)) this.clamp(body, name, low, high);
    for (const [name, other] of Object.entries(rename)) {
      if (body[name] === undefined) continue;
      body[other] = body[name];
      Reflect.deleteProperty(body, name);
    }
    return body;
  }

  private drop(body: JsonObject, name: string): void {
    const value = body[name];
    if (value === undefined) return;
    Reflect.deleteProperty(body, name);
    if (isNeutral(name, value)) return;
    const path = this.pathOfMember(name);
    if (HINTS.has(name)) this.losses.note(path);
    else if (CONTENT.has(name)) this.losses.refuse(path, `The provider does not take ${path}; remove it.`);
    else this.losses.parameter(path, `The provider does not take ${path}.`);
  }

  private clamp(body: JsonObject, name: string, low: number, high: number): void {
    const value = body[name];
    if (typeof value !== 'number' || (value >= low && value <= high)) return;
    const nearest = Math.min(Math.max(value, low), high);
    const path = this.pathOfMember(name);
    const rule = `The provider takes ${path} from ${String(low)} to ${String(high)}.`;
    if (this.losses.parameter(path, rule, 'approximated', String(nearest))) body[name] = nearest;
  }

  private pathOfMember(name: string): string {
    if (name === 'top_logprobs') return this.call.paths.topLogprobs ?? pathOf(this.call, 'logprobs');
    const member = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
    return member === undefined ? name : pathOf(this.call, member);
  }
}

/** Returns whether a member requests the provider's default behaviour. */
function isNeutral(name: string, value: unknown): boolean {
  if (name === 'logit_bias') return Object.keys(asObject(value) ?? {}).length === 0;
  if (name === 'modalities') return Array.isArray(value) && value.every((item) => item === 'text');
  if (name === 'parallel_tool_calls') return value === true;
  if (name === 'verbosity') return value === 'medium';
  const isPenalty = name === 'frequency_penalty' || name === 'presence_penalty';
  return (isPenalty || name === 'min_p') && value === 0;
}

/** Members without which the response still fits the request. */
const HINTS: ReadonlySet<string> = new Set([
  'user',
  'safety_identifier',
  'metadata',
  'seed',
  'service_tier',
  'store',
  'prediction',
  'prompt_cache_key',
  'prompt_cache_retention',
  'stream_options',
]);
/** Members that are content or a contract. */
const CONTENT: ReadonlySet<string> = new Set(['tools', 'response_format', 'modalities', 'audio']);

const MEMBERS: Readonly<Record<string, CallMember>> = {
  n: 'n',
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  min_p: 'minP',
  stop: 'stop',
  seed: 'seed',
  user: 'user',
  frequency_penalty: 'frequencyPenalty',
  presence_penalty: 'presencePenalty',
  logit_bias: 'logitBias',
  logprobs: 'logprobs',
  tools: 'tools',
  tool_choice: 'toolChoice',
  parallel_tool_calls: 'parallelTools',
  response_format: 'output',
  reasoning_effort: 'reasoning',
  service_tier: 'serviceTier',
  store: 'store',
  metadata: 'metadata',
  max_tokens: 'maxTokens',
  max_completion_tokens: 'maxTokens',
  verbosity: 'verbosity',
  modalities: 'modalities',
  audio: 'audioOut',
  prompt_cache_key: 'cache',
  prompt_cache_retention: 'cache',
};

function responseFormat(output: OutputFormat | undefined): JsonObject | undefined {
  switch (output?.kind) {
    case undefined:
    case 'text':
      return undefined;
    case 'json':
      return { type: 'json_object' };
    case 'grammar':
      return { type: 'grammar', grammar: output.grammar };
    case 'schema':
      return {
        type: 'json_schema',
        json_schema: {
          name: output.name ?? 'response',
          ...optional('description', output.description),
          schema: output.schema,
          ...optional('strict', output.strict),
        },
      };
  }
}
