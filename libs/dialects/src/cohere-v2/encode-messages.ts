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
import { encodeDocument, encodePart, type EncodedDocument } from './encode-content';

export interface EncodedMessages {
  readonly messages: readonly JsonObject[];
  /** Texts of user turns that the model can cite. */
  readonly documents: readonly EncodedDocument['document'][];
}

/** Encodes system texts and turns as messages: one for each turn, and one for each tool result. */
export function encodeMessages(call: ModelCall, losses: LossLedger): EncodedMessages {
  return new MessageWriter(call, losses).write();
}

class MessageWriter {
  private readonly messages: JsonObject[] = [];
  private readonly documents: EncodedDocument['document'][] = [];

  constructor(
    private readonly call: ModelCall,
    private readonly losses: LossLedger,
  ) {}

  write(): EncodedMessages {
    for (const part of this.call.system) {
      if (part.cache !== undefined) this.losses.note(partPath(this.call, part, 'cache'));
      this.messages.push({ role: 'system', content: part.text });
    }
    for (const turn of this.call.turns) this.turn(turn);
    return { messages: this.messages, documents: this.documents };
  }

  private turn(turn: Turn): void {
    if (turn.name !== undefined) this.losses.note(`${turn.at ?? pathOf(this.call, 'turns')}.name`);
    switch (turn.role) {
      case 'user':
        this.user(turn);
        break;
      case 'system':
        this.messages.push({ role: 'system', content: simple(this.content(turn.parts)) });
        break;
      case 'assistant':
        this.assistant(turn);
        break;
    }
  }

  /** Encodes a user turn. Tool results become tool messages before the rest of the turn. */
  private user(turn: Turn): void {
    const content: JsonObject[] = [];
    for (const part of turn.parts) if (part.kind === 'tool_result') this.result(part, content);
    const rest = turn.parts.filter(({ kind }) => kind !== 'tool_result');
    content.push(...this.content(rest));
    const hadResults = rest.length < turn.parts.length;
    if (content.length > 0 || !hadResults)
      this.messages.push({ role: 'user', content: simple(content), ...turn.x?.['cohere-v2'] });
  }

  /**
   * Encodes a tool result as a tool message of text and documents. Images are added to `moved` for
   * a user message after it.
   */
  private result(part: ToolResultPart, moved: JsonObject[]): void {
    const at = part.at ?? pathOf(this.call, 'turns');
    if (part.error === true) this.losses.note(partPath(this.call, part, 'error'));
    if (part.cache !== undefined) this.losses.note(partPath(this.call, part, 'cache'));
    const isImage = (inner: Part): inner is MediaPart => inner.kind === 'media' && inner.media === 'image';
    const content = part.parts
      .filter((inner) => !isImage(inner))
      .map(
        (inner) => encodeDocument(inner, this.losses, this.call) ?? encodePart(inner, this.losses, this.call),
      )
      .filter((inner) => inner !== null);
    this.messages.push({ role: 'tool', tool_call_id: part.callId, content: simple(content) });
    const images = part.parts.filter(isImage);
    if (images.length === 0) return;
    moved.push({ type: 'text', text: `[tool result ${part.callId}]` });
    for (const image of images) {
      this.losses.note(image.at ?? at, 'moved', 'the next user message');
      moved.push(...this.content([image]));
    }
  }

  /**
   * Encodes an assistant turn. Text before calls is the plan. Reasoning is left out, because Cohere
   * does not sign it.
   */
  private assistant(turn: Turn): void {
    if (turn.prefill === true) {
      this.losses.refuse(
        turn.at ?? pathOf(this.call, 'turns'),
        'The provider does not continue a last assistant message; end with a user message.',
      );
    }
    const calls = turn.parts.filter((part): part is ToolCallPart => part.kind === 'tool_call');
    const content = this.content(turn.parts);
    if (calls.length === 0 && content.length === 0) return;
    this.messages.push({
      role: 'assistant',
      ...(calls.length === 0 ? { content: simple(content) } : this.calls(calls, content)),
      ...turn.x?.['cohere-v2'],
    });
  }

  private calls(calls: readonly ToolCallPart[], content: readonly JsonObject[]): JsonObject {
    const plan = content.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
    return {
      ...(plan === '' ? {} : { tool_plan: plan }),
      tool_calls: calls.map((part) => this.toolCall(part)),
    };
  }

  private toolCall(part: ToolCallPart): JsonObject {
    const { id, name, args } = part;
    if (part.custom === true)
      this.losses.refuse(
        part.at ?? pathOf(this.call, 'turns'),
        'The provider has no custom tools; remove the call.',
      );
    return { id, type: 'function', function: { name, arguments: args === '' ? '{}' : args } };
  }

  /**
   * Encodes the parts of a message. Documents move to the request, unless the message would then be
   * empty.
   */
  private content(parts: readonly Part[]): JsonObject[] {
    const content: JsonObject[] = [];
    const documents: { readonly part: Part; readonly encoded: EncodedDocument }[] = [];
    for (const part of parts) {
      const document = encodeDocument(part, this.losses, this.call);
      if (document !== null) documents.push({ part, encoded: document });
      const encoded = document === null ? encodePart(part, this.losses, this.call) : null;
      if (encoded !== null) content.push(encoded);
    }
    if (content.length === 0) return documents.map(({ encoded }) => textPart(encoded.document.data.text));
    for (const { part, encoded } of documents) {
      this.losses.note(part.at ?? pathOf(this.call, 'turns'), 'moved', 'documents');
      this.documents.push(encoded.document);
    }
    return content;
  }
}

const textPart = (text: string): JsonObject => ({ type: 'text', text });

/** Returns the content; a single text becomes a string. */
function simple(content: readonly JsonObject[]): string | readonly JsonObject[] {
  const [first] = content;
  if (first === undefined) return '';
  return content.length === 1 && first['type'] === 'text' ? String(first['text']) : content;
}
