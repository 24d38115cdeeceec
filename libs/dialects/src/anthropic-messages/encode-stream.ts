import type { Citation, HostedPart, JsonObject, OpaquePart, Part, Seal, ToolCallPart } from '../call';
import type { ClientContext, StreamEncoder } from '../codec';
import { anthropicError } from '../errors/classes';
import type { Finish, StreamEvent, TokenUsage } from '../response';
import { callIdOf } from '../values/tool-ids';
import { encodeCitation } from './citations';
import { encodeFinish } from './finish';
import { DIALECT, own } from './paths';
import { NO_SEAL, writeSignature } from './seals';
import { HeldBlocks } from './held-blocks';
import { encodeUsage } from './usage';

const PING = 'event: ping\ndata: {"type": "ping"}\n\n';

const event = (type: string, data: JsonObject): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

const delta = (index: number, json: string): string =>
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":${String(index)},"delta":${json}}\n\n`;

type BlockEvent = Extract<StreamEvent, { readonly i: number }>;

export const encodeStream = (context: ClientContext): StreamEncoder => new MessageWriter(context);

/**
 * Writes a stream of Anthropic's events. One block is open at a time: events of later blocks wait
 * until it is closed. A block of text is opened by its first text, so that an empty one never
 * shows.
 */
class MessageWriter implements StreamEncoder {
  readonly contentType = 'text/event-stream';
  readonly keepAlive = PING;
  hasFailed = false;
  private readonly held = new HeldBlocks();
  private started = false;
  private over = false;
  /** The neutral block that is open; null when none is. */
  private current: { readonly i: number; readonly part: Part; isWritten: boolean; seal?: Seal } | null = null;
  /** Index of the next block to write. */
  private next = 0;
  private id: string;
  private finish: Finish = { reason: 'stop' };
  private usage: TokenUsage | undefined;
  private hasCalls = false;
  private refused = false;
  /** Whether the last block carries a seal that readers would assign to a call after it. */
  private isAfterCarrier = false;

  constructor(private readonly context: ClientContext) {
    this.id = context.requestId;
  }

  write(events: readonly StreamEvent[]): string {
    let text = '';
    for (const item of events) if (!this.over) text += this.event(item);
    return text;
  }

  private event(item: StreamEvent): string {
    if ('i' in item) return item.c === 0 ? this.block(item) : '';
    switch (item.t) {
      case 'start':
        return this.start(item.id, item.model, item.usage);
      case 'finish':
        if (item.c === 0) this.finish = item.finish;
        return '';
      case 'usage':
        this.usage = item.usage;
        return '';
      case 'ping':
        return PING;
      case 'error':
        this.over = true;
        return event('error', { error: anthropicError(item.fault), request_id: this.context.requestId });
      case 'done':
        return this.end();
    }
  }

  private start(id: string, model: string, usage: TokenUsage | undefined): string {
    if (this.started) return '';
    this.started = true;
    if (id !== '') this.id = id;
    this.usage = usage;
    const message = {
      id: this.id,
      type: 'message',
      role: 'assistant',
      model: model === '' ? this.context.model : model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: encodeUsage(usage),
    };
    return event('message_start', { message }) + PING;
  }

  private block(item: BlockEvent): string {
    const prefix = this.started ? '' : this.start('', '', undefined);
    if (item.t === 'open' ? this.current !== null : item.i !== this.current?.i) {
      if (this.held.add(item)) return prefix;
      this.hasFailed = true;
      return prefix + this.event(HeldBlocks.OVERFLOW);
    }
    return prefix + this.filled(item);
  }

  /** Writes an event of the open block. */
  private filled(item: BlockEvent): string {
    switch (item.t) {
      case 'open':
        return this.open(item.i, item.part);
      case 'text':
        return this.begin() + delta(this.next - 1, this.textDelta(item.text));
      case 'args':
        return delta(
          this.next - 1,
          `{"type":"input_json_delta","partial_json":${JSON.stringify(item.json)}}`,
        );
      case 'seal':
        return this.seal(item.seal);
      case 'cite':
        return this.cite(item.citation);
      case 'close':
        return this.close();
      case 'data':
      case 'logprobs':
        return '';
    }
  }

  private textDelta(text: string): string {
    return this.current?.part.kind === 'reasoning'
      ? `{"type":"thinking_delta","thinking":${JSON.stringify(text)}}`
      : `{"type":"text_delta","text":${JSON.stringify(text)}}`;
  }

  private open(i: number, part: Part): string {
    const seal = part.kind === 'text' || part.kind === 'reasoning' ? part.seal : undefined;
    this.current = { i, part, isWritten: false, ...(seal === undefined ? {} : { seal }) };
    if ('data' in part) return this.openOwn(part);
    switch (part.kind) {
      case 'tool_call':
        return this.openCall(part);
      case 'refusal':
        this.refused = true;
        return '';
      case 'text':
      case 'reasoning':
        return '';
      case 'media':
      case 'tool_result':
      case 'search_result':
        return this.lose();
    }
  }

  private openCall(part: ToolCallPart): string {
    this.hasCalls = true;
    const seal = part.seal ?? (this.isAfterCarrier ? NO_SEAL : undefined);
    const carrier = seal === undefined ? '' : this.carrier(seal);
    const id = callIdOf(part.id, this.id, 0, this.next);
    const caller = { type: 'direct' };
    return (
      carrier + this.startBlock({ type: 'tool_use', id, name: part.name, input: {}, caller, ...own(part) })
    );
  }

  private openOwn({ dialect, data }: HostedPart | OpaquePart): string {
    return dialect === DIALECT ? this.startBlock(data) : this.lose();
  }

  /** Records a part that has no block. */
  private lose(): string {
    this.context.losses?.note(`content.${String(this.next)}`);
    return '';
  }

  /** Writes the start of the open block, unless it is already written. */
  private begin(): string {
    if (this.current?.isWritten !== false) return '';
    return this.startBlock(
      this.current.part.kind === 'reasoning'
        ? { type: 'thinking', thinking: '', signature: '' }
        : { type: 'text', text: '', citations: null },
    );
  }

  private startBlock(block: JsonObject): string {
    if (this.current !== null) this.current.isWritten = true;
    this.next += 1;
    this.isAfterCarrier = false;
    return event('content_block_start', { index: this.next - 1, content_block: block });
  }

  /**
   * Stores the seal of the open block, which is written when the block closes: as a signature at
   * the end of a thinking block, or in a separate block after a text. Returns no text.
   */
  private seal(seal: Seal): string {
    const kind = this.current?.part.kind;
    if (this.current !== null && (kind === 'text' || kind === 'reasoning')) this.current.seal = seal;
    else this.context.losses?.note(`content.${String(this.next)}.signature`);
    return '';
  }

  /** Writes a block of thinking without text that carries the seal of another part. */
  private carrier(seal: Seal): string {
    const signature = writeSignature(seal);
    if (signature === null) return '';
    const start = this.startBlock({ type: 'thinking', thinking: '', signature: '' });
    this.isAfterCarrier = true;
    return start + delta(this.next - 1, signatureDelta(signature)) + this.stopBlock();
  }

  private cite(citation: Citation): string {
    const encoded = encodeCitation(citation);
    if (encoded === null) return '';
    return (
      this.begin() + delta(this.next - 1, `{"type":"citations_delta","citation":${JSON.stringify(encoded)}}`)
    );
  }

  /**
   * Closes the open block, and writes those that have waited for it until one of them stays open.
   */
  private close(): string {
    let text = this.closeCurrent();
    while (this.current === null) {
      const waiting = this.held.nextBlock();
      if (waiting.length === 0) break;
      for (const item of waiting) text += item.t === 'close' ? this.closeCurrent() : this.filled(item);
    }
    return text;
  }

  private closeCurrent(): string {
    const { current } = this;
    if (current === null) return '';
    const signature = current.part.kind === 'reasoning' ? this.signature(current.seal) : '';
    const text = signature + (current.isWritten ? this.stopBlock() : '');
    this.current = null;
    return current.part.kind === 'text' && current.seal !== undefined
      ? text + this.carrier(current.seal)
      : text;
  }

  /** Writes the signature of the open block of thinking, which may have no text. */
  private signature(seal: Seal | undefined): string {
    if (seal === undefined) return '';
    if (seal.by === 'anthropic' && seal.redacted === true) {
      const isWritten = this.current?.isWritten === true;
      return isWritten ? '' : this.startBlock({ type: 'redacted_thinking', data: seal.value });
    }
    const signature = writeSignature(seal);
    if (signature === null) return '';
    const isCarrier = seal.by === 'google' && this.current?.isWritten === false;
    const start = this.begin();
    this.isAfterCarrier = isCarrier;
    return start + delta(this.next - 1, signatureDelta(signature));
  }

  private stopBlock(): string {
    return `event: content_block_stop\ndata: {"type":"content_block_stop","index":${String(this.next - 1)}}\n\n`;
  }

  private end(): string {
    let text = this.started ? '' : this.start('', '', undefined);
    while (this.current !== null) text += this.close();
    this.over = true;
    const stop = encodeFinish(this.finish, { refused: this.refused, hasCalls: this.hasCalls });
    text += event('message_delta', { delta: { ...stop, container: null }, usage: encodeUsage(this.usage) });
    return `${text}event: message_stop\ndata: {"type":"message_stop"}\n\n`;
  }
}

const signatureDelta = (signature: string): string =>
  `{"type":"signature_delta","signature":${JSON.stringify(signature)}}`;
