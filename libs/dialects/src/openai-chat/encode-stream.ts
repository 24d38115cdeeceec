import type { JsonObject, Part } from '../call';
import type { ClientContext, StreamEncoder } from '../codec';
import type { StreamEvent, TokenUsage } from '../response';
import { openAiError } from '../errors/openai-error';
import { carriedSeal } from '../values/seals';
import { callIdOf } from '../values/tool-ids';
import { writeAnnotation, writeImage, writeLogprob } from './encode-response';
import { nativeFinish, refusalOf, writeFinish } from './finish';
import { writeUsage } from './usage';

interface OpenBlock {
  readonly part: Part;
  /** Index among the calls of the candidate. */
  readonly call: number;
  hasArgs: boolean;
  /** Base64 of an image, which is written in one piece. */
  data: string;
}

type Of<T extends StreamEvent['t']> = Extract<StreamEvent, { t: T }>;
type Ending = Of<'finish' | 'usage' | 'ping' | 'error' | 'done'>;
type Detail = Of<'seal' | 'cite' | 'data' | 'logprobs'>;

const ENDINGS: ReadonlySet<string> = new Set(['finish', 'usage', 'ping', 'error', 'done']);
const DETAILS: ReadonlySet<string> = new Set(['seal', 'cite', 'data', 'logprobs']);
const isEnding = (event: StreamEvent): event is Ending => ENDINGS.has(event.t);
const isDetail = (event: StreamEvent): event is Detail => DETAILS.has(event.t);

/** Writes chat completion chunks from templates, one for each event. */
export class ChatStreamEncoder implements StreamEncoder {
  readonly contentType = 'text/event-stream';
  readonly keepAlive = ': keep-alive\n\n';
  private readonly blocks = new Map<number, OpenBlock>();
  private readonly calls = new Map<number, number>();
  /** Candidates whose role was written, and those with the text of a refusal. */
  private readonly begun = new Set<number>();
  private readonly refused = new Set<number>();
  private readonly withUsage: boolean;
  private readonly strict: boolean;
  private readonly tail: string;
  private head = '';
  private id = '';
  private usage: TokenUsage | undefined;
  private isOver = false;

  constructor(private readonly context: ClientContext) {
    this.withUsage = context.call.streamUsage === true;
    this.strict = context.strict === true;
    this.tail = this.withUsage ? ',"usage":null}\n\n' : '}\n\n';
  }

  write(events: readonly StreamEvent[]): string {
    let text = '';
    for (const event of events) if (!this.isOver) text += this.one(event);
    return text;
  }

  private one(event: StreamEvent): string {
    if (isEnding(event)) return this.ending(event);
    if (isDetail(event)) return this.detail(event);
    switch (event.t) {
      case 'start':
        return this.start(event);
      case 'open':
        return this.open(event);
      case 'text':
        return this.delta(event.c, this.textDelta(event));
      case 'args':
        return this.args(event.c, event.i, event.json);
      case 'close':
        return this.close(event);
    }
  }

  private ending(event: Ending): string {
    switch (event.t) {
      case 'finish':
        return this.finish(event);
      case 'usage':
        this.usage = event.usage;
        return '';
      case 'ping':
        return this.keepAlive;
      case 'error':
        this.isOver = true;
        return `data: ${JSON.stringify(openAiError(event.fault, this.context.requestId))}\n\n`;
      case 'done':
        this.isOver = true;
        return this.end();
    }
  }

  private start({ id, model, created, usage }: Of<'start'>): string {
    const { requestId, provider, model: called } = this.context;
    this.usage = usage ?? this.usage;
    this.id = id === '' ? requestId : id;
    const head = {
      id: this.id,
      object: 'chat.completion.chunk',
      created,
      model: model === '' ? called : model,
      ...(this.strict ? {} : { provider }),
    };
    this.head = `data: ${JSON.stringify(head).slice(0, -1)},`;
    return this.begin(0);
  }

  /** Returns the chunk with the role of a candidate, which comes before all others. */
  private begin(c: number): string {
    if (this.begun.has(c)) return '';
    this.begun.add(c);
    return this.chunk(c, '{"role":"assistant","content":""}');
  }

  /** Returns a chunk with this delta; '' for an empty one. */
  private delta(c: number, delta: string, finish = 'null'): string {
    return delta === '' ? '' : this.begin(c) + this.chunk(c, delta, finish);
  }

  private chunk(c: number, delta: string, finish = 'null', logprobs = 'null'): string {
    return `${this.head}"choices":[{"index":${String(c)},"delta":${delta},"logprobs":${logprobs},"finish_reason":${finish}}]${this.tail}`;
  }

  private open({ c, i, part }: Of<'open'>): string {
    const isCall = part.kind === 'tool_call';
    const call = isCall ? (this.calls.get(c) ?? 0) : -1;
    if (isCall) this.calls.set(c, call + 1);
    this.blocks.set(i, { part, call, hasArgs: false, data: '' });
    if (part.kind === 'tool_call') {
      return this.delta(c, this.callDelta({ ...part, id: callIdOf(part.id, this.id, c, call) }, call));
    }
    if (part.kind === 'reasoning' && part.seal !== undefined) return this.seal(c, i, part.seal);
    if (!('dialect' in part) || this.strict) return '';
    return this.delta(c, JSON.stringify({ content_blocks: [{ index: i, content_block: part.data }] }));
  }

  private callDelta(part: Extract<Part, { kind: 'tool_call' }>, index: number): string {
    const { id, name, seal, custom = false } = part;
    const called = custom
      ? { type: 'custom', custom: { name, input: '' } }
      : { type: 'function', function: { name, arguments: '' } };
    const signed =
      seal?.by === 'google' && !this.strict
        ? { extra_content: { google: { thought_signature: seal.value } } }
        : {};
    return JSON.stringify({ tool_calls: [{ index, id, ...called, ...signed }] });
  }

  private textDelta({ c, i, text }: Of<'text'>): string {
    const kind = this.blocks.get(i)?.part.kind;
    if (kind === 'refusal') this.refused.add(c);
    if (kind === 'reasoning') return this.strict ? '' : `{"reasoning_content":${JSON.stringify(text)}}`;
    return kind === 'refusal' ? `{"refusal":${JSON.stringify(text)}}` : `{"content":${JSON.stringify(text)}}`;
  }

  private args(c: number, i: number, json: string): string {
    const block = this.blocks.get(i);
    if (block === undefined || block.call < 0) return '';
    block.hasArgs = true;
    const member =
      block.part.kind === 'tool_call' && block.part.custom === true
        ? '"custom":{"input"'
        : '"function":{"arguments"';
    return this.delta(
      c,
      `{"tool_calls":[{"index":${String(block.call)},${member}:${JSON.stringify(json)}}}]}`,
    );
  }

  private detail(event: Detail): string {
    switch (event.t) {
      case 'seal':
        return this.seal(event.c, event.i, event.seal);
      case 'cite':
        return event.citation.url === undefined
          ? ''
          : this.delta(event.c, JSON.stringify({ annotations: [writeAnnotation(event.citation)] }));
      case 'data': {
        const block = this.blocks.get(event.i);
        if (block !== undefined) block.data += event.base64;
        return '';
      }
      case 'logprobs': {
        const items = JSON.stringify({ content: event.items.map(writeLogprob), refusal: null });
        return this.begin(event.c) + this.chunk(event.c, '{}', 'null', items);
      }
    }
  }

  private seal(c: number, i: number, seal: Of<'seal'>['seal']): string {
    if (this.strict) return '';
    const block = this.blocks.get(i);
    if (block !== undefined && block.call >= 0) {
      if (seal.by !== 'google') return '';
      return this.delta(
        c,
        JSON.stringify({
          tool_calls: [{ index: block.call, extra_content: { google: { thought_signature: seal.value } } }],
        }),
      );
    }
    if (block?.part.kind !== 'reasoning') return '';
    const isRedacted = seal.redacted === true && seal.by === 'anthropic';
    const written = isRedacted
      ? { type: 'redacted_thinking', data: seal.value }
      : { type: 'thinking', signature: carriedSeal(seal, 'anthropic') };
    return this.delta(c, JSON.stringify({ thinking_blocks: [{ index: i, ...written }] }));
  }

  /**
   * Closes a block. A call of a function without arguments gets an empty object, because clients
   * parse the arguments.
   */
  private close({ c, i }: Of<'close'>): string {
    const block = this.blocks.get(i);
    this.blocks.delete(i);
    if (block === undefined) return '';
    if (block.part.kind === 'media') return this.image(c, block.part, block.data);
    const isCustom = block.part.kind === 'tool_call' && block.part.custom === true;
    if (block.call < 0 || block.hasArgs || isCustom) return '';
    this.blocks.set(i, block);
    const text = this.args(c, i, '{}');
    this.blocks.delete(i);
    return text;
  }

  private image(c: number, part: Extract<Part, { kind: 'media' }>, data: string): string {
    if (this.strict || part.source.at !== 'base64') return '';
    const images = writeImage({ ...part, source: { at: 'base64', data: part.source.data + data } });
    return images.length === 0 ? '' : this.delta(c, JSON.stringify({ images }));
  }

  private finish({ c, finish }: Of<'finish'>): string {
    const native = this.strict ? undefined : nativeFinish(finish);
    const reason =
      JSON.stringify(writeFinish(finish)) +
      (native === undefined ? '' : `,"native_finish_reason":${JSON.stringify(native)}`);
    const explanation = this.refused.has(c) ? undefined : refusalOf(finish);
    const refusal: JsonObject = explanation === undefined ? {} : { refusal: explanation };
    return this.delta(c, JSON.stringify(refusal), reason);
  }

  private end(): string {
    const usage =
      this.withUsage && this.usage !== undefined
        ? `${this.head}"choices":[],"usage":${JSON.stringify(writeUsage(this.usage))}}\n\n`
        : '';
    return `${usage}data: [DONE]\n\n`;
  }
}
