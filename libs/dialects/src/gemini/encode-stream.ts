import type { Citation, JsonObject, MediaPart, Part, Seal } from '../call';
import type { ClientContext, StreamEncoder } from '../codec';
import { BROKEN_STREAM } from '../stream/decoder-base';
import type { Finish, ProviderFault, StreamEvent, TokenUsage } from '../response';
import { ByteOffsets } from './byte-offsets';
import { encodeError } from './errors';
import { headOf } from './encode-response';
import { finishReason } from './finish';
import { groundingMetadata } from './grounding';
import { logprobsResult } from './logprobs';
import { functionCall, responsePart, signature } from './response-parts';
import { usageMetadata } from './usage';

/** Maximum number of characters of a call or file that is buffered until it is complete. */
const HELD_MAX = 32 * 1024 * 1024;

interface Block {
  readonly part: Part;
  readonly held: string[];
  seal: Seal | undefined;
}

/** End of a candidate, for the last event. */
interface CandidateEnd {
  readonly offsets: ByteOffsets;
  readonly citations: Citation[];
  finish: Finish | undefined;
}

/**
 * Google's SDK drops a turn from its history when an event has no part, so an event without content
 * has this one.
 */
const EMPTY = '{"text":""}';

const contentOf = (part: string): string => `"content":{"role":"model","parts":[${part}]}`;

type Filling = Extract<StreamEvent, { t: 'text' | 'args' | 'seal' | 'cite' | 'data' }>;
type ContentEvent = Extract<StreamEvent, { readonly i: number }>;

/**
 * Writes events for a Gemini client: text immediately, calls and files when they are complete, and
 * the usage at the end.
 */
class GeminiEvents implements StreamEncoder {
  readonly contentType: string;
  readonly keepAlive: string;
  hasFailed = false;
  private readonly isList: boolean;
  private readonly blocks = new Map<number, Block>();
  private readonly ends = new Map<number, CandidateEnd>();
  private text = '';
  private tail: string;
  private held = 0;
  private usage: TokenUsage | undefined;
  /**
   * The last complete part. It waits for the next one, so that it can be sent in the last event if
   * none follows.
   */
  private pending: { readonly c: number; readonly json: string } | null = null;
  private isOpen = false;
  private isOver = false;

  constructor(private readonly context: ClientContext) {
    this.isList = context.listStream === true;
    this.contentType = this.isList ? 'application/json' : 'text/event-stream';
    // White space is allowed between the items of a list.
    this.keepAlive = this.isList ? '\r\n' : ': keep-alive\r\n\r\n';
    this.tail = this.tailOf('', '');
  }

  write(events: readonly StreamEvent[]): string {
    this.text = '';
    for (const event of events) if (!this.isOver) this.take(event);
    return this.text;
  }

  private take(event: StreamEvent): void {
    if ('i' in event) {
      this.content(event);
      return;
    }
    switch (event.t) {
      case 'start':
        this.tail = this.tailOf(event.id, event.model);
        this.usage = event.usage;
        break;
      case 'usage':
        this.usage = event.usage;
        break;
      case 'finish':
        this.endOf(event.c).finish = event.finish;
        break;
      case 'error':
        this.fail(event.fault);
        break;
      case 'done':
        this.done();
        break;
      case 'ping':
        break;
    }
  }

  private content(event: ContentEvent): void {
    switch (event.t) {
      case 'open':
        this.blocks.set(event.i, { part: event.part, held: [], seal: undefined });
        break;
      case 'logprobs':
        this.part(event.c, EMPTY, `,"logprobsResult":${JSON.stringify(logprobsResult(event.items))}`);
        break;
      case 'close':
        this.close(event.c, event.i);
        break;
      case 'text':
      case 'args':
      case 'data':
      case 'seal':
      case 'cite':
        this.fill(event);
    }
  }

  private fill(event: Filling): void {
    const block = this.blocks.get(event.i);
    if (block === undefined) return;
    switch (event.t) {
      case 'text':
        this.delta(event.c, block, event.text);
        break;
      case 'args':
        this.hold(block, event.json);
        break;
      case 'data':
        this.hold(block, event.base64);
        break;
      case 'seal':
        block.seal = event.seal;
        break;
      case 'cite':
        this.endOf(event.c).citations.push(event.citation);
        break;
    }
  }

  private delta(c: number, { part }: Block, text: string): void {
    const isThought = part.kind === 'reasoning';
    if (!isThought) this.endOf(c).offsets.add(text);
    this.part(c, `{"text":${JSON.stringify(text)}${isThought ? ',"thought":true' : ''}}`);
  }

  private hold(block: Block, text: string): void {
    this.held += text.length;
    if (this.held <= HELD_MAX) {
      block.held.push(text);
      return;
    }
    this.hasFailed = true;
    this.fail(BROKEN_STREAM);
  }

  private close(c: number, i: number): void {
    const block = this.blocks.get(i);
    if (block === undefined) return;
    this.blocks.delete(i);
    const whole = this.whole(c, block);
    if (whole !== null) {
      this.flush();
      this.endOf(c);
      this.pending = { c, json: JSON.stringify(whole) };
    }
    for (const text of block.held) this.held -= text.length;
  }

  /**
   * Returns the part that a block adds when it closes: a call, a file, or the signature of text
   * that was sent before; null for none.
   */
  private whole(c: number, { part, held, seal = sealOf(part) }: Block): JsonObject | null {
    const path = `candidates.${String(c)}.content.parts`;
    if (part.kind === 'text' || part.kind === 'refusal' || part.kind === 'reasoning') {
      return seal === undefined ? null : signatureOf(part.kind === 'reasoning', seal);
    }
    if (part.kind === 'tool_call') {
      const call = { ...part, args: part.args + held.join('') };
      return { functionCall: functionCall(call, this.context, path), ...signature(seal) };
    }
    const whole = part.kind === 'media' ? filledMedia(part, held, seal) : part;
    return responsePart(whole, this.context, path, this.endOf(c));
  }

  private endOf(c: number): CandidateEnd {
    let end = this.ends.get(c);
    if (end === undefined) {
      end = { offsets: new ByteOffsets(), citations: [], finish: undefined };
      this.ends.set(c, end);
    }
    return end;
  }

  private part(c: number, json: string, more = ''): void {
    this.flush();
    this.send(`{"candidates":[{${contentOf(json)},"index":${String(c)}${more}}]${this.tail}`);
  }

  /** Sends the waiting part, because it is not the last one. */
  private flush(): void {
    const { pending } = this;
    this.pending = null;
    if (pending !== null) this.part(pending.c, pending.json);
  }

  private done(): void {
    const ends = [...this.ends.keys()].sort((one, other) => one - other).map((c) => this.ending(c));
    const usage =
      this.usage === undefined ? '' : `,"usageMetadata":${JSON.stringify(usageMetadata(this.usage))}`;
    this.send(`{"candidates":[${ends.join(',')}]${usage}${this.tail}`);
    this.end();
  }

  /** Returns a candidate of the last event. */
  private ending(c: number): string {
    const { finish, citations, offsets } = this.endOf(c);
    const grounding = groundingMetadata(citations, offsets);
    const members = JSON.stringify({
      index: c,
      ...(finish === undefined ? {} : { finishReason: finishReason(finish) }),
      ...(finish?.detail === undefined ? {} : { finishMessage: finish.detail }),
      ...(grounding === undefined ? {} : { groundingMetadata: grounding }),
    });
    return `{${contentOf(this.pending?.c === c ? this.pending.json : EMPTY)},${members.slice(1)}`;
  }

  private fail(fault: ProviderFault): void {
    this.flush();
    this.send(JSON.stringify(encodeError(fault)));
    this.end();
  }

  private end(): void {
    this.isOver = true;
    this.blocks.clear();
    if (this.isList) this.text += ']';
  }

  private send(json: string): void {
    if (!this.isList) this.text += `data: ${json}\r\n\r\n`;
    else this.text += this.isOpen ? `,\r\n${json}` : `[${json}`;
    this.isOpen = true;
  }

  /** Returns the members at the end of each event. */
  private tailOf(id: string, model: string): string {
    return `,${JSON.stringify(headOf({ id, model }, this.context)).slice(1)}`;
  }
}

/** Returns the part with a signature that follows the text that it covers. */
const signatureOf = (isThought: boolean, seal: Seal): JsonObject => ({
  text: '',
  ...(isThought ? { thought: true } : {}),
  ...signature(seal),
});

function filledMedia(part: MediaPart, held: readonly string[], seal: Seal | undefined): MediaPart {
  const { source } = part;
  return {
    ...part,
    source: source.at === 'base64' ? { ...source, data: source.data + held.join('') } : source,
    ...(seal === undefined ? {} : { seal }),
  };
}

const sealOf = (part: Part): Seal | undefined => ('seal' in part ? part.seal : undefined);

export const encodeStream = (context: ClientContext): StreamEncoder => new GeminiEvents(context);
