import type { JsonObject, MediaPart, ModelCall, Part, ToolCallPart, ToolResultPart, Turn } from '../call';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { optional } from '../values/json';
import { carriedSeal } from '../values/seals';
import { MISTRAL_ID, validId } from '../values/tool-ids';
import { calledNames } from '../values/tool-pairs';
import { textOf } from './encode-content';
import type { ChatForm } from './form';

/**
 * Encodes system texts and turns as messages: at most one for each turn, and one for each tool
 * result.
 */
export function encodeMessages(
  call: ModelCall,
  target: Target,
  losses: LossLedger,
  form: ChatForm,
): JsonObject[] {
  const writer = new MessageWriter(call, target, losses, form);
  return writer.write();
}

class MessageWriter {
  private readonly messages: JsonObject[] = [];
  /** Names of the called tools by result, for dialects that repeat them in results. */
  private readonly names: ReturnType<typeof calledNames>;

  constructor(
    private readonly call: ModelCall,
    private readonly target: Target,
    private readonly losses: LossLedger,
    private readonly form: ChatForm,
  ) {
    this.names = form.isOpenAi ? new Map() : calledNames(call.turns);
  }

  write(): JsonObject[] {
    const { from } = this.call;
    const keepsRole = this.form.isOpenAi && (from === 'openai-chat' || from === 'openai-responses');
    for (const { role, ...part } of this.call.system) {
      const content = this.parts([{ kind: 'text', ...part }]);
      this.messages.push({ role: keepsRole ? role : 'system', content: simple(content) });
    }
    for (const turn of this.call.turns) this.turn(turn);
    return this.messages;
  }

  private turn(turn: Turn): void {
    switch (turn.role) {
      case 'user':
        this.user(turn);
        break;
      case 'system':
        this.messages.push({ role: 'system', content: this.content(turn.parts) });
        break;
      case 'assistant':
        this.assistant(turn);
        break;
    }
  }

  /** Encodes a user turn. Tool results become tool messages before the rest of the turn. */
  private user(turn: Turn): void {
    const moved: JsonObject[] = [];
    for (const part of turn.parts) if (part.kind === 'tool_result') this.result(part, moved);
    const rest = turn.parts.filter(({ kind }) => kind !== 'tool_result');
    const content = [...moved, ...this.parts(rest)];
    if (content.length > 0 || turn.parts.length === rest.length) {
      this.messages.push({ role: 'user', content: simple(content), ...this.name(turn) });
    }
  }

  private name({ name, at = 'messages' }: Turn): JsonObject {
    if (name === undefined || this.form.isOpenAi) return optional('name', name);
    this.losses.note(`${at}.name`);
    return {};
  }

  /**
   * Encodes a tool result as a tool message, which at OpenAI carries only text. Media parts are
   * added to `moved` for a user message after it.
   */
  private result(part: ToolResultPart, moved: JsonObject[]): void {
    const at = part.at ?? 'messages';
    if (part.error === true) this.losses.note(`${at}.is_error`);
    if (part.cache !== undefined) this.losses.note(`${at}.cache_control`);
    const id = this.id(part.callId);
    if (!this.form.isOpenAi) {
      const name = optional('name', part.name ?? this.names.get(part));
      this.messages.push({ role: 'tool', tool_call_id: id, ...name, content: this.content(part.parts) });
      return;
    }
    this.messages.push({ role: 'tool', tool_call_id: id, content: textOf(part) });
    const media = part.parts.filter(
      (inner): inner is MediaPart => inner.kind === 'media' && inner.source.at !== 'text',
    );
    if (media.length === 0) return;
    moved.push({ type: 'text', text: `[tool result ${part.callId}]` });
    for (const item of media) {
      this.losses.note(item.at ?? at, 'moved', 'the next user message');
      moved.push(...this.parts([item]));
    }
  }

  private assistant(turn: Turn): void {
    const calls = turn.parts.filter((part): part is ToolCallPart => part.kind === 'tool_call');
    const isRefusal = ({ kind }: Part): boolean => kind === 'refusal' && this.form.isOpenAi;
    const refusals = turn.parts.filter(isRefusal);
    const content = this.parts(turn.parts.filter((part) => !isRefusal(part)));
    const reasoning = this.reasoning(turn.parts);
    if (
      content.length === 0 &&
      calls.length === 0 &&
      refusals.length === 0 &&
      Object.keys(reasoning).length === 0
    )
      return;
    this.messages.push({
      role: 'assistant',
      content: content.length === 0 ? null : simple(content),
      ...this.name(turn),
      ...reasoning,
      ...(refusals.length === 0
        ? {}
        : { refusal: refusals.map((part) => ('text' in part ? part.text : '')).join('') }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map((part) => this.toolCall(part)) }),
      ...turn.x?.[this.form.dialect],
      ...this.prefill(turn),
    });
  }

  private prefill(turn: Turn): JsonObject {
    if (turn.prefill !== true || this.isNative) return {};
    const member = this.target.traits.prefillMember;
    if (member !== undefined) return { [member]: true };
    this.losses.refuse(
      turn.at ?? 'messages',
      'The provider does not continue a last assistant message; end with a user message.',
    );
    return {};
  }

  private reasoning(parts: readonly Part[]): JsonObject {
    const found = parts.filter((part) => part.kind === 'reasoning');
    if (found.length === 0) return {};
    const text = found.map((part) => part.text).join('');
    const isSealed = found.some(({ seal }) => seal !== undefined);
    if (this.isNative) {
      return isSealed ? { thinking_blocks: found.map(thinkingBlock) } : { reasoning_content: text };
    }
    // Reasoning in another dialect is left out, unless the model requires the text of its reasoning.
    const { traits, capabilities } = this.target;
    const isWanted = traits.replay === 'required' || capabilities.replaysReasoning;
    return isWanted && text !== '' ? { reasoning_content: text } : {};
  }

  private toolCall(part: ToolCallPart): JsonObject {
    if (part.custom === true && !this.form.isOpenAi)
      this.losses.refuse(part.at ?? 'messages', 'The provider has no custom tools; remove the call.');
    const signature = part.seal?.by === 'google' && this.isNative ? part.seal.value : undefined;
    return {
      id: this.id(part.id),
      ...(part.custom === true
        ? { type: 'custom', custom: { name: part.name, input: part.args } }
        : {
            type: 'function',
            function: { name: part.name, arguments: part.args === '' ? '{}' : part.args },
          }),
      ...(signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }),
    };
  }

  private id(id: string): string {
    return this.target.traits.shortToolIds === true ? validId(id, MISTRAL_ID) : id;
  }

  /** Whether the client uses the dialect of the provider. */
  private get isNative(): boolean {
    return this.call.from === this.form.dialect;
  }

  private content(parts: readonly Part[]): string | JsonObject[] {
    return simple(this.parts(parts));
  }

  private parts(parts: readonly Part[]): JsonObject[] {
    return parts.map((part) => this.form.part(part, this.losses, this.call)).filter((part) => part !== null);
  }
}

/** Returns the content; a single text becomes a string. */
function simple(content: readonly JsonObject[]): string | JsonObject[] {
  const [first] = content;
  if (first === undefined) return '';
  const isText = content.length === 1 && first['type'] === 'text' && Object.keys(first).length === 2;
  return isText ? String(first['text']) : [...content];
}

/** Writes sealed reasoning for a client of this dialect, which sends it back unchanged. */
export function thinkingBlock({ text, seal }: Extract<Part, { kind: 'reasoning' }>): JsonObject {
  if (seal === undefined) return { type: 'thinking', thinking: text };
  if (seal.redacted === true && seal.by === 'anthropic')
    return { type: 'redacted_thinking', data: seal.value };
  return { type: 'thinking', thinking: text, signature: carriedSeal(seal, 'anthropic') };
}
