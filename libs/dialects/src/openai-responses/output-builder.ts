import type { Citation, JsonObject, Part, Seal } from '../call';
import type { Logprob } from '../response';
import { CallBlock, HostedBlock, ImageBlock, ReasoningBlock } from './output-items';
import { MessageItem, type TextBlock } from './output-message';
import { OutputItems, type OutputBlock } from './output-list';
import type { OutputSink } from './output-sink';
import { isOwn, ownOf } from './own';

/** Maximum number of characters of a response, which the last event repeats completely. */
const OUTPUT_MAX = 32 * 1024 * 1024;
/** Number of characters that a citation or log probability counts in addition to its texts. */
const ENTRY = 200;

/**
 * Builds the output items of a response from its blocks, and sends the events of their lifecycle to
 * a sink. The same code builds streamed and unstreamed responses, so that they agree.
 */
export class OutputBuilder {
  hasRefusal = false;
  /** Whether the response is longer than 32 MiB. */
  overflowed = false;
  private readonly items: OutputItems;
  private readonly blocks = new Map<number, OutputBlock>();
  private message: MessageItem | null = null;
  /** A call that is not announced yet, because its seal must precede it. */
  private waiting: CallBlock | null = null;
  private size = 0;

  constructor(
    responseId: string,
    private readonly sink: OutputSink,
    private readonly onLoss: () => void,
  ) {
    this.items = new OutputItems(responseId, sink);
  }

  get output(): readonly JsonObject[] {
    return this.items.output;
  }

  open(i: number, part: Part): void {
    this.announce();
    const block = this.blockOf(part);
    if (block === null) this.onLoss();
    else this.blocks.set(i, block);
  }

  write(i: number, text: string, logprobs?: readonly Logprob[]): void {
    this.announce();
    this.grow(text.length + ENTRY * (logprobs?.length ?? 0));
    if (!this.overflowed) this.blocks.get(i)?.write(text, logprobs);
  }

  seal(i: number, seal: Seal): void {
    const block = this.blocks.get(i);
    if (block !== this.waiting) this.announce();
    this.grow(seal.value.length);
    if (!this.overflowed) block?.seal(seal);
  }

  cite(i: number, citation: Citation): void {
    this.grow(ENTRY + (citation.url?.length ?? 0) + (citation.title?.length ?? 0));
    if (!this.overflowed) this.blocks.get(i)?.cite(citation);
  }

  close(i: number): void {
    this.announce();
    this.blocks.get(i)?.close();
    this.blocks.delete(i);
  }

  /** Announces a call that waited for its seal. */
  announce(): void {
    this.waiting?.announce();
    this.waiting = null;
  }

  /** Ends the open message. `status` is `incomplete` if the response was truncated. */
  end(status: 'completed' | 'incomplete'): void {
    this.announce();
    for (const i of this.blocks.keys()) this.close(i);
    this.message?.end(status);
    this.message = null;
  }

  /** Ends the output in its current state, because the response has failed. */
  abandon(): void {
    for (const block of this.blocks.values()) block.abandon();
    this.message?.abandon();
  }

  private grow(length: number): void {
    this.size += length;
    if (this.size > OUTPUT_MAX) this.overflowed = true;
  }

  private blockOf(part: Part): OutputBlock | null {
    if (part.kind === 'text' || part.kind === 'refusal') return this.textBlock(part);
    this.message?.endWhenClosed();
    this.message = null;
    return this.itemBlock(part);
  }

  private itemBlock(part: Exclude<Part, { kind: 'text' | 'refusal' }>): OutputBlock | null {
    switch (part.kind) {
      case 'tool_call':
        this.waiting = new CallBlock(this.items, part);
        return this.waiting;
      case 'reasoning':
        return new ReasoningBlock(this.items, part);
      case 'media':
        return part.media === 'image' ? new ImageBlock(this.items, part) : null;
      case 'hosted_call':
      case 'hosted_result':
      case 'opaque':
        return HostedBlock.of(this.items, part);
      case 'tool_result':
      case 'search_result':
        return null;
    }
  }

  private textBlock(part: Part & { readonly kind: 'text' | 'refusal' }): TextBlock {
    if (part.kind === 'refusal') this.hasRefusal = true;
    const mark = ownOf(part).message;
    if (this.message === null || (isOwn(part) && !this.message.isOf(mark))) {
      this.message?.endWhenClosed();
      this.message = new MessageItem(this.items, this.sink, mark);
    }
    return this.message.open(part);
  }
}
