import { addPiece } from '@gw/kernel';
import type { ResponseMemory } from './held-memory';
import type { TooLarge } from './response-body';

/** One event of an event stream. */
export interface StreamedEvent {
  /** `message` when the stream names no other type. */
  readonly type: string;
  readonly data: Buffer;
}

/** The memory in which bytes are counted, and the error when it is full. */
export interface CountedBytes {
  readonly memory: ResponseMemory;
  readonly noMemory: () => Error;
}

const ID_LENGTH_MAX = 1_024;
/** Longest wait before a reconnection that a stream may set, in milliseconds. */
const RETRY_MS_MAX = 30_000;
const LF = 0x0a;
const CR = 0x0d;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const SPACE = 0x20;
const COLON = 0x3a;
const NEW_LINE = Buffer.from('\n');

/**
 * Parses an event stream (HTML Living Standard, server-sent events) from chunks: lines may end in
 * CRLF, LF or CR, and a byte order mark may come first. One event has at most `bytesMax` bytes,
 * comments included. Linear in time, whatever the size of the chunks. The bytes of an incomplete
 * event are counted in `memory`.
 */
export class EventParser {
  /** Id of the last complete event that had one; null before. */
  lastEventId: string | null = null;
  /**
   * Wait before a reconnection that the stream set, in milliseconds, at most 30,000; null: not set.
   */
  retryMs: number | null = null;
  private pieces: Buffer[] = [];
  private size = 0;
  private isFirstLine = true;
  private endedInCr = false;
  private type = '';
  private data: Buffer[] = [];
  private id: string | null = null;

  constructor(
    private readonly bytesMax: number,
    private readonly tooLarge: TooLarge,
    /** Null: bytes are not counted. */
    private readonly counted: CountedBytes | null = null,
  ) {}

  /**
   * Yields the events that a chunk completes. Throws the error of `tooLarge` for an event above the
   * bound, and that of `noMemory`.
   */
  *push(chunk: Buffer): Generator<StreamedEvent, void> {
    let start = this.endedInCr && chunk[0] === LF ? 1 : 0;
    if (chunk.length > 0) this.endedInCr = false;
    for (let end = lineEnd(chunk, start); end !== -1; end = lineEnd(chunk, start)) {
      this.keep(chunk.subarray(start, end));
      const event = this.line(this.takeLine());
      if (event !== null) yield event;
      start = end + 1;
      if (chunk[end] !== CR) continue;
      if (start === chunk.length) this.endedInCr = true;
      else if (chunk[start] === LF) start += 1;
    }
    this.keep(chunk.subarray(start));
  }

  /** Drops an incomplete event, because the next chunk is of a new connection. */
  restart(): void {
    this.counted?.memory.give(this.size);
    [this.pieces, this.size, this.isFirstLine, this.endedInCr] = [[], 0, true, false];
    [this.type, this.data, this.id] = ['', [], null];
  }

  private keep(piece: Buffer): void {
    if (this.size + piece.length > this.bytesMax) throw this.tooLarge('An event', this.bytesMax);
    if (this.counted?.memory.take(piece.length) === false) throw this.counted.noMemory();
    this.size += piece.length;
    if (piece.length > 0) addPiece(this.pieces, piece);
  }

  private takeLine(): Buffer {
    const [first = Buffer.alloc(0)] = this.pieces;
    let line = this.pieces.length > 1 ? Buffer.concat(this.pieces) : first;
    this.pieces = [];
    if (this.isFirstLine && line.subarray(0, 3).equals(BOM)) line = line.subarray(3);
    this.isFirstLine = false;
    return line;
  }

  private line(line: Buffer): StreamedEvent | null {
    if (line.length === 0) return this.dispatch();
    const colon = line.indexOf(COLON);
    if (colon === 0) return null;
    const name = line.toString('utf8', 0, colon === -1 ? Math.min(line.length, 16) : Math.min(colon, 16));
    const from = colon === -1 ? line.length : line[colon + 1] === SPACE ? colon + 2 : colon + 1;
    this.field(name, line.subarray(from));
    return null;
  }

  private field(name: string, value: Buffer): void {
    switch (name) {
      case 'data':
        this.data.push(value);
        return;
      case 'event':
        this.type = value.toString('utf8', 0, 256);
        return;
      case 'id':
        if (value.length <= ID_LENGTH_MAX && isHeaderText(value)) this.id = value.toString('latin1');
        return;
      case 'retry':
        if (/^\d{1,15}$/.test(value.toString('latin1', 0, 16)))
          this.retryMs = Math.min(RETRY_MS_MAX, Number(value.toString('latin1')));
        return;
      default:
    }
  }

  /**
   * Returns the event; null when its data is missing or empty. Unlike the standard, an empty
   * `data:` fires no event, because no provider means one by it. The id counts in any case.
   */
  private dispatch(): StreamedEvent | null {
    const { type, data } = this;
    this.counted?.memory.give(this.size);
    if (this.id !== null) this.lastEventId = this.id === '' ? null : this.id;
    [this.type, this.data, this.id, this.size] = ['', [], null, 0];
    if (data.length === 0 || data.every((line) => line.length === 0)) return null;
    const lines = data.flatMap((line, index) => (index === 0 ? [line] : [NEW_LINE, line]));
    return { type: type === '' ? 'message' : type, data: Buffer.concat(lines) };
  }
}

function lineEnd(chunk: Buffer, start: number): number {
  for (let at = start; at < chunk.length; at += 1) if (chunk[at] === LF || chunk[at] === CR) return at;
  return -1;
}

/** Whether an id can be sent back in `Last-Event-ID`: visible ASCII and spaces. */
const isHeaderText = (value: Buffer): boolean => value.every((byte) => byte >= SPACE && byte < 0x7f);
