import type { Citation, JsonObject, Part, Seal } from '../call';
import type { Logprob } from '../response';
import { encodeCitation } from './annotations';
import { encodeLogprobs } from './logprobs';
import { addCarrier } from './output-items';
import { idOf, type ItemPlace, type OutputBlock, type OutputItems } from './output-list';
import type { OutputSink } from './output-sink';
import type { MessageMark } from './own';

/**
 * A message of the response. It is announced with its first text, and ends when a block of another
 * kind opens.
 */
export class MessageItem {
  readonly content: JsonObject[] = [];
  private place: ItemPlace | null = null;
  private openBlocks = 0;
  private isEnding = false;
  private carried: Seal | undefined;

  constructor(
    readonly items: OutputItems,
    readonly sink: OutputSink,
    private readonly mark: MessageMark | undefined,
  ) {}

  isOf(mark: MessageMark | undefined): boolean {
    return this.mark?.index === mark?.index;
  }

  open(part: Part & { readonly kind: 'text' | 'refusal' }): TextBlock {
    this.openBlocks += 1;
    return new TextBlock(this, part);
  }

  announced(): ItemPlace {
    this.place ??= this.items.add('msg', idOf(this.mark?.item), (id) => this.item(id, 'in_progress', []));
    return this.place;
  }

  /** Stores the seal of a text, which a separate item after the message carries. */
  carry(seal: Seal): void {
    this.carried = seal;
  }

  blockClosed(): void {
    this.openBlocks -= 1;
    if (this.isEnding && this.openBlocks === 0) this.end('completed');
  }

  endWhenClosed(): void {
    this.isEnding = true;
    if (this.openBlocks === 0) this.end('completed');
  }

  end(status: 'completed' | 'incomplete'): void {
    if (this.place !== null) this.items.done(this.place, this.item(this.place.id, status, this.content));
    this.place = null;
    if (this.carried !== undefined) addCarrier(this.items, this.carried);
    this.carried = undefined;
  }

  abandon(): void {
    if (this.place !== null)
      this.items.replace(this.place, this.item(this.place.id, 'incomplete', this.content));
  }

  private item(id: string, status: string, content: readonly JsonObject[]): JsonObject {
    const phase = this.mark?.item['phase'];
    return {
      id,
      type: 'message',
      status,
      role: 'assistant',
      content,
      ...(phase === undefined ? {} : { phase }),
    };
  }
}

/** A text or refusal of a message. */
export class TextBlock implements OutputBlock {
  private head: string | null = null;
  private index = 0;
  private text = '';
  private base = 0;
  private readonly annotations: JsonObject[] = [];
  private readonly whole: Citation[] = [];
  private readonly logprobs: JsonObject[] = [];
  private readonly isText: boolean;

  constructor(
    private readonly message: MessageItem,
    part: Part & { readonly kind: 'text' | 'refusal' },
  ) {
    this.isText = part.kind === 'text';
    if (part.kind === 'text' && part.seal !== undefined) this.seal(part.seal);
  }

  write(text: string, logprobs: readonly Logprob[] = []): void {
    if (text === '' && logprobs.length === 0) return;
    const head = this.announced();
    this.text += text;
    if (this.isText) this.message.items.textLength += text.length;
    const probabilities = encodeLogprobs(logprobs);
    this.logprobs.push(...probabilities);
    const tail = this.isText ? `,"logprobs":${JSON.stringify(probabilities)}` : '';
    this.message.sink.delta(
      this.isText ? 'response.output_text.delta' : 'response.refusal.delta',
      head,
      text,
      tail,
    );
  }

  seal(seal: Seal): void {
    this.message.carry(seal);
  }

  /**
   * Adds a citation. One without a range cites the whole text, whose end is known when the block
   * closes.
   */
  cite(citation: Citation): void {
    if (!this.isText) return;
    const hasRange = citation.start !== undefined && citation.end !== undefined;
    if (hasRange || citation.raw?.dialect === 'openai-responses') this.annotate(citation);
    else this.whole.push(citation);
  }

  close(): void {
    for (const citation of this.whole) this.annotate(citation);
    if (this.head !== null) {
      const place = this.message.announced();
      const part = this.part();
      this.message.content[this.index] = part;
      this.message.items.event(this.isText ? 'response.output_text.done' : 'response.refusal.done', place, {
        content_index: this.index,
        ...(this.isText ? { text: this.text, logprobs: this.logprobs } : { refusal: this.text }),
      });
      this.message.items.event('response.content_part.done', place, { content_index: this.index, part });
    }
    this.message.blockClosed();
  }

  abandon(): void {
    if (this.head !== null) this.message.content[this.index] = this.part();
    this.message.abandon();
  }

  private annotate(citation: Citation): void {
    const annotation = encodeCitation(citation, this.base, this.text.length);
    if (annotation === null) return;
    this.announced();
    this.annotations.push(annotation);
    this.message.items.event('response.output_text.annotation.added', this.message.announced(), {
      content_index: this.index,
      annotation_index: this.annotations.length - 1,
      annotation,
    });
  }

  private announced(): string {
    if (this.head !== null) return this.head;
    const place = this.message.announced();
    this.base = this.message.items.textLength;
    this.index = this.message.content.length;
    const part = this.part();
    this.message.content.push(part);
    this.message.items.event('response.content_part.added', place, { content_index: this.index, part });
    this.head = `${place.head},"content_index":${String(this.index)},"delta":`;
    return this.head;
  }

  private part(): JsonObject {
    return this.isText
      ? {
          type: 'output_text',
          text: this.text,
          annotations: [...this.annotations],
          logprobs: [...this.logprobs],
        }
      : { type: 'refusal', refusal: this.text };
  }
}
