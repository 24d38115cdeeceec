import {
  partPath,
  pathOf,
  type JsonObject,
  type MediaPart,
  type ModelCall,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
  type Turn,
} from '../call';
import type { LossLedger } from '../losses';
import { textOf } from '../openai-chat/encode-content';
import type { Target } from '../target';
import { optional } from '../values/json';
import { systemTexts } from '../values/merged-turns';
import { ArgumentsReader } from '../values/tool-arguments';
import { calledNames } from '../values/tool-pairs';

/** Encodes system texts and turns as messages. A message has one text and a list of images. */
export function encodeMessages(call: ModelCall, target: Target, losses: LossLedger): JsonObject[] {
  return new MessageWriter(call, target, losses).write();
}

/** Content of a message. */
interface Content {
  text: string;
  readonly images: string[];
}

class MessageWriter {
  private readonly messages: JsonObject[] = [];
  private readonly names: ReturnType<typeof calledNames>;
  private readonly args = new ArgumentsReader();

  constructor(
    private readonly call: ModelCall,
    private readonly target: Target,
    private readonly losses: LossLedger,
  ) {
    this.names = calledNames(call.turns);
  }

  write(): JsonObject[] {
    for (const part of this.call.system) {
      if (part.cache !== undefined) this.losses.note(partPath(this.call, part, 'cache'));
      this.messages.push({ role: 'system', content: part.text });
    }
    for (const turn of this.call.turns) this.turn(turn);
    return this.messages;
  }

  private turn(turn: Turn): void {
    if (turn.name !== undefined) this.losses.note(`${this.pathOf(turn)}.name`);
    switch (turn.role) {
      case 'user':
        this.user(turn);
        break;
      case 'system':
        this.messages.push({
          role: 'system',
          content: this.content(systemTexts(turn, this.call, this.losses)).text,
        });
        break;
      case 'assistant':
        this.assistant(turn);
        break;
    }
  }

  /** Encodes a user turn. Tool results become tool messages before the rest of the turn. */
  private user(turn: Turn): void {
    const moved: Part[] = [];
    for (const part of turn.parts) if (part.kind === 'tool_result') moved.push(...this.result(part));
    const rest = turn.parts.filter(({ kind }) => kind !== 'tool_result');
    const { text, images } = this.content([...moved, ...rest]);
    const hasResults = rest.length < turn.parts.length;
    if (hasResults && text === '' && images.length === 0) return;
    this.messages.push({ role: 'user', content: text, ...(images.length === 0 ? {} : { images }) });
  }

  /**
   * Writes a tool message of text. Returns its images, introduced by a text, for the user message
   * that follows.
   */
  private result(part: ToolResultPart): Part[] {
    const { callId } = part;
    if (part.error === true) this.losses.note(partPath(this.call, part, 'error'));
    if (part.cache !== undefined) this.losses.note(partPath(this.call, part, 'cache'));
    const name = part.name ?? this.names.get(part);
    this.messages.push({ role: 'tool', ...optional('tool_name', name), content: textOf(part) });
    const media = part.parts.filter(
      (inner): inner is MediaPart => inner.kind === 'media' && inner.source.at !== 'text',
    );
    if (media.length === 0) return [];
    for (const item of media) this.losses.note(this.pathOf(item), 'moved', 'the next user message');
    return [{ kind: 'text', text: `[tool result ${callId}]` }, ...media];
  }

  /**
   * Encodes an assistant turn. Reasoning is left out because it has no seal, unless the model
   * requires its text.
   */
  private assistant(turn: Turn): void {
    const calls = turn.parts.filter((part): part is ToolCallPart => part.kind === 'tool_call');
    const { text, images } = this.content(turn.parts);
    const thinking = this.target.traits.replay === 'required' ? thoughtsOf(turn.parts) : '';
    if (text === '' && thinking === '' && images.length + calls.length === 0) return;
    this.messages.push({
      role: 'assistant',
      content: text,
      ...(thinking === '' ? {} : { thinking }),
      ...(images.length === 0 ? {} : { images }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map((part) => this.toolCall(part)) }),
      ...turn.x?.['ollama'],
    });
  }

  private toolCall(part: ToolCallPart): JsonObject {
    if (part.custom === true) {
      this.losses.refuse(this.pathOf(part), 'The provider has no custom tools; remove the call.');
      return {};
    }
    const args = this.args.read(part.args, partPath(this.call, part, 'arguments'));
    return { function: { name: part.name, arguments: args } };
  }

  private content(parts: readonly Part[]): Content {
    const content: Content = { text: '', images: [] };
    for (const part of parts) {
      if (part.cache !== undefined) this.losses.note(partPath(this.call, part, 'cache'));
      this.part(part, content);
    }
    return content;
  }

  private part(part: Part, content: Content): void {
    switch (part.kind) {
      case 'text':
      case 'refusal':
        content.text += part.text;
        break;
      case 'search_result':
        content.text += textOf(part);
        break;
      case 'media':
        this.media(part, content);
        break;
      case 'opaque':
        this.losses.refuse(this.pathOf(part), 'The provider has no equivalent of this part; remove it.');
        break;
      case 'hosted_call':
      case 'hosted_result':
        this.losses.note(this.pathOf(part));
        break;
      // Written as other messages or members, or left out.
      case 'reasoning':
      case 'tool_call':
      case 'tool_result':
        break;
    }
  }

  private media(part: MediaPart, content: Content): void {
    const { media, source, detail } = part;
    if (media === 'image' && source.at === 'base64') {
      if (detail !== undefined && detail !== 'auto') this.losses.note(partPath(this.call, part, 'detail'));
      content.images.push(source.data);
      return;
    }
    this.losses.refuse(
      partPath(this.call, part, media),
      media === 'image'
        ? 'The provider takes images as data only.'
        : `The provider does not take ${media} parts; remove it.`,
    );
  }

  private pathOf({ at }: { readonly at?: string }): string {
    return at ?? pathOf(this.call, 'turns');
  }
}

const thoughtsOf = (parts: readonly Part[]): string =>
  parts.map((part) => (part.kind === 'reasoning' ? part.text : '')).join('');
