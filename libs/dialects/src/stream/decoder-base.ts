import type { JsonObject, Part } from '../call';
import type { Finish, ProviderFault, StreamEvent, TokenUsage } from '../response';
import { parseObject } from '../values/json';
import type { StreamDecoder } from '../codec';
import { NdjsonReader } from './ndjson-reader';
import { SseReader, type SseEvent } from './sse-reader';

/** Maximum number of blocks of a response; a stream with more fails. */
export const BLOCKS_MAX = 4_096;
/** Maximum number of characters that a decoder buffers for all open blocks. */
export const HELD_TOTAL_MAX = 32 * 1024 * 1024;

export const BROKEN_STREAM: ProviderFault = {
  class: 'server',
  message: 'The provider sent a response that could not be read.',
  status: 502,
  code: 'provider_answer_invalid',
};
export const CUT_STREAM: ProviderFault = {
  class: 'server',
  message: 'The provider ended the stream before it was complete.',
  status: 502,
  code: 'stream_interrupted',
};

/** Events that fill an open block. */
const FILLINGS: ReadonlySet<StreamEvent['t']> = new Set(['text', 'args', 'seal', 'cite', 'data']);

/**
 * Guarantees the order of every stream of events: one start, each block opened before it is filled
 * and closed before the finish, nothing after the end. Decoders only need to handle the events of
 * their dialect.
 */
export class EventWriter {
  private events: StreamEvent[] = [];
  private started = false;
  private over = false;
  private next = 0;
  private readonly opened = new Map<number, number>();
  private readonly finished = new Set<number>();

  get isOver(): boolean {
    return this.over;
  }

  get isStarted(): boolean {
    return this.started;
  }

  /** Whether a block was opened. */
  get hasBlocks(): boolean {
    return this.next > 0;
  }

  get hasOpenBlocks(): boolean {
    return this.opened.size > 0;
  }

  isFinished(candidate: number): boolean {
    return this.finished.has(candidate);
  }

  start(id: string, model: string, created: number, usage?: TokenUsage): void {
    if (this.started) return;
    this.started = true;
    this.push({ t: 'start', id, model, created, ...(usage === undefined ? {} : { usage }) });
  }

  /**
   * Opens a block and returns its number. A block of an ended candidate is dropped with everything
   * that is written to it.
   */
  open(c: number, part: Part): number {
    const i = this.next;
    this.next += 1;
    if (i >= BLOCKS_MAX) this.fail(BROKEN_STREAM);
    if (this.over || this.finished.has(c)) return i;
    this.opened.set(i, c);
    this.push({ t: 'open', c, i, part });
    return i;
  }

  text(c: number, i: number, text: string): void {
    if (text !== '') this.push({ t: 'text', c, i, text });
  }

  args(c: number, i: number, json: string): void {
    if (json !== '') this.push({ t: 'args', c, i, json });
  }

  /** Pushes an event that needs no bookkeeping. Events of a block that is not open are dropped. */
  push(event: StreamEvent): void {
    if (!this.over && !this.isStray(event)) this.events.push(event);
  }

  private isStray(event: StreamEvent): boolean {
    if (event.t === 'logprobs') return this.finished.has(event.c);
    return FILLINGS.has(event.t) && 'i' in event && !this.opened.has(event.i);
  }

  close(i: number): void {
    const c = this.opened.get(i);
    if (c === undefined) return;
    this.opened.delete(i);
    this.push({ t: 'close', c, i });
  }

  closeAll(candidate?: number): void {
    for (const [i, c] of this.opened) if (candidate === undefined || c === candidate) this.close(i);
  }

  finish(c: number, finish: Finish): void {
    if (this.finished.has(c)) return;
    this.closeAll(c);
    this.finished.add(c);
    this.push({ t: 'finish', c, finish });
  }

  fail(fault: ProviderFault): void {
    this.push({ t: 'error', fault });
    this.over = true;
  }

  done(): void {
    this.closeAll();
    this.push({ t: 'done' });
    this.over = true;
  }

  taken(): StreamEvent[] {
    const { events } = this;
    this.events = [];
    return events;
  }
}

/** Splits bytes into events. */
interface EventReader {
  readonly overflowed: boolean;
  write(chunk: Buffer): SseEvent[];
  end(): SseEvent[];
}

/** Base of the decoders of streams whose events are JSON objects. */
abstract class EventDecoder implements StreamDecoder {
  protected readonly out = new EventWriter();
  private ending = false;

  constructor(private readonly reader: EventReader) {}

  write(chunk: Buffer): StreamEvent[] {
    for (const { name, data } of this.reader.write(chunk)) this.take(name, data);
    if (this.reader.overflowed) this.out.fail(BROKEN_STREAM);
    return this.out.taken();
  }

  end(): StreamEvent[] {
    this.ending = true;
    for (const { name, data } of this.reader.end()) this.take(name, data);
    if (!this.out.isOver) this.onEnd();
    if (!this.out.isOver) this.out.fail(CUT_STREAM);
    return this.out.taken();
  }

  /** Takes one event. `name` is the `event` field, '' when absent. */
  protected abstract onEvent(event: JsonObject, name: string): void;
  /**
   * Called when the provider closed the stream without an end mark. The stream fails unless this
   * calls `out.done()`.
   */
  protected onEnd(): void {
    // Most dialects have an end mark, so the stream was truncated.
  }
  /**
   * Takes the data of an event that is not a JSON object, such as `[DONE]`. Returns whether it was
   * expected.
   */
  protected onText(_data: string): boolean {
    return false;
  }

  private take(name: string, data: string): void {
    if (this.out.isOver) return;
    const event = parseObject(data);
    if (event !== null) this.onEvent(event, name);
    // A partial event at the end of a truncated stream is not reported as invalid, because the
    // truncation is.
    else if (!this.onText(data.trim()) && !this.ending) this.out.fail(BROKEN_STREAM);
  }
}

/** Base of the decoders of event streams (SSE). */
export abstract class SseDecoder extends EventDecoder {
  constructor() {
    super(new SseReader());
  }
}

/** Base of the decoders of streams with one JSON object per line. */
export abstract class NdjsonDecoder extends EventDecoder {
  constructor() {
    super(new NdjsonReader());
  }
}
