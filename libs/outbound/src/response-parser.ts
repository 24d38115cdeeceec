import { ResponseHead, CR, INCOMPLETE, INVALID, LF, TOKEN_BYTES, VALUE_BYTES } from './response-head';

const HEAD_BYTES_MAX = 64 * 1024;
/**
 * Maximum interim responses before one response. Some providers send one every few seconds while
 * they work.
 */
const INTERIM_MAX = 100;
/** Maximum bytes of one chunk's size and extensions together. */
const CHUNK_LINE_BYTES_MAX = 4_096;
const TRAILERS_BYTES_MAX = 64 * 1024;
/**
 * Heads shorter than this are parsed with every piece, so that a peer of another protocol fails at
 * once.
 */
const STATUS_LINE_BYTES_MIN = 13;
/** Minimum size of the buffer of a head in pieces. */
const PENDING_BYTES_MIN = 1_024;

const EMPTY = Buffer.alloc(0);
const [SEMICOLON, COLON] = [59, 58];

/** The value of each hexadecimal digit; 255 for all other bytes. */
const HEX_DIGITS = new Uint8Array(256).fill(255);
for (let digit = 0; digit < 16; digit += 1) {
  for (const text of [digit.toString(16), digit.toString(16).toUpperCase()])
    HEX_DIGITS[text.charCodeAt(0)] = digit;
}

/** Next element that the parser expects. */
const STATE = {
  head: 0,
  /** A body of known length. */
  length: 1,
  /** A body that ends with the connection. */
  untilClose: 2,
  chunkData: 3,
  /** Bytes around the data of chunks. */
  chunkSize: 4,
  chunkExtension: 5,
  chunkSizeLf: 6,
  chunkDataCr: 7,
  chunkDataLf: 8,
  trailerStart: 9,
  trailerName: 10,
  trailerValue: 11,
  trailerLf: 12,
  lastLf: 13,
  done: 14,
  failed: 15,
} as const;

/**
 * Parses the responses of one connection, one per `begin`, in pieces of any size. It has no
 * callbacks: after `read`, its fields contain the result. So no handler runs while bytes are read,
 * and everything that is kept is a copy.
 */
export class ResponseParser {
  /** Valid if `hasHead` is set. */
  readonly head = new ResponseHead();
  /** Whether the head of the response has arrived. Interim responses are skipped. */
  hasHead = false;
  isDone = false;
  /** Why the response is not valid; null if no error was found. */
  failure: string | null = null;
  private body: Buffer | null = null;
  private state: number = STATE.head;
  private isBodyless = false;
  /** Whether bytes arrived after the end of the response. */
  private hasMore = false;
  private interims = 0;
  /** Remaining bytes of the body or the current chunk. */
  private left = 0;
  /** Bytes of the current chunk's line, or of all trailers. */
  private lineBytes = 0;
  /** Whether the current chunk's size has a digit. */
  private hasSize = false;
  /** The first `pendingBytes` bytes are the start of a head that arrives in several pieces. */
  private pending = EMPTY;
  private pendingBytes = 0;

  /** Prepares for the next response. `isBodyless`: it has no body, because the request is HEAD. */
  begin(isBodyless: boolean): void {
    this.hasHead = false;
    this.isDone = false;
    this.failure = null;
    this.body = null;
    this.state = STATE.head;
    this.isBodyless = isBodyless;
    this.hasMore = false;
    this.interims = 0;
  }

  /** Whether the end of the connection is the end of the response. */
  get endsWithConnection(): boolean {
    return this.state === STATE.untilClose;
  }

  /** Whether the response is complete and the connection can be reused. */
  get leavesConnectionFit(): boolean {
    const { head } = this;
    // A provider may send a body nevertheless, if the response to HEAD, the 204 or the 304 has a
    // length or is chunked.
    const mayHaveBody = this.isBodyless && (head.contentLength > 0 || head.isChunked);
    return this.isDone && !this.hasMore && !mayHaveBody && head.staysOpen && head.idleMs > 0;
  }

  /** Returns the body bytes since the last call; null if none. The caller owns the buffer. */
  takeBody(): Buffer | null {
    const { body } = this;
    this.body = null;
    return body;
  }

  /** Parses the first `length` bytes of `piece`, which it may move. Keeps no reference to them. */
  read(piece: Buffer, length: number): void {
    let [bytes, at, to] = [piece, 0, length];
    if (this.state === STATE.head) {
      if (this.pendingBytes > 0) {
        const before = this.pendingBytes;
        this.keep(piece, 0, length);
        if (this.isStillIncomplete(before)) return;
        bytes = this.pending;
        to = this.pendingBytes;
        this.pending = EMPTY;
        this.pendingBytes = 0;
      }
      at = this.readHead(bytes, to);
      if (at < 0) return;
    }
    this.readBody(bytes, at, to);
  }

  /**
   * Ends a body that ends with the connection. Call it when the peer has closed its side in an
   * orderly way.
   */
  finish(): void {
    if (this.state === STATE.untilClose) this.end();
  }

  private end(): void {
    this.state = STATE.done;
    this.isDone = true;
  }

  private fail(what: string): void {
    this.state = STATE.failed;
    this.failure = `The response is not valid HTTP: ${what}.`;
    this.pending = EMPTY;
    this.pendingBytes = 0;
  }

  /**
   * Returns the index at which the body begins, or -1 if more bytes are needed or the head is
   * invalid.
   */
  private readHead(bytes: Buffer, to: number): number {
    let from = 0;
    while (from < to) {
      const end = this.head.read(bytes, from, to);
      const isTooLong = (end === INCOMPLETE ? to : end) - from > HEAD_BYTES_MAX;
      if (end === INVALID || isTooLong) {
        this.fail(isTooLong ? 'its head is too long' : 'its head is malformed or has too many fields');
        return -1;
      }
      if (end === INCOMPLETE) {
        this.keep(bytes, from, to);
        return -1;
      }
      if (this.head.status >= 200) {
        this.beginBody();
        return end;
      }
      this.interims += 1;
      if (this.head.status === 101 || this.interims > INTERIM_MAX) {
        this.fail(
          this.head.status === 101 ? 'it switches protocols without a request' : 'too many interim responses',
        );
        return -1;
      }
      from = end;
    }
    return -1;
  }

  private keep(bytes: Buffer, from: number, to: number): void {
    const needed = this.pendingBytes + to - from;
    if (needed > this.pending.length) {
      const larger = Buffer.allocUnsafe(Math.max(PENDING_BYTES_MIN, 2 * needed));
      this.pending.copy(larger, 0, 0, this.pendingBytes);
      this.pending = larger;
    }
    bytes.copy(this.pending, this.pendingBytes, from, to);
    this.pendingBytes = needed;
  }

  /**
   * Returns whether a head in many pieces cannot have become complete. Apart from very short and
   * too long heads, it is parsed again only when another line is complete, which bounds the work.
   * `before`: the length of the head before the last piece, in bytes.
   */
  private isStillIncomplete(before: number): boolean {
    if (before < STATUS_LINE_BYTES_MIN || this.pendingBytes > HEAD_BYTES_MAX) return false;
    const end = this.pending.indexOf(LF, before);
    return end === -1 || end >= this.pendingBytes;
  }

  private beginBody(): void {
    const { status, contentLength, isChunked } = this.head;
    this.hasHead = true;
    if (status === 204 || status === 304) this.isBodyless = true;
    if (this.isBodyless || contentLength === 0) {
      this.end();
    } else if (isChunked) {
      this.state = STATE.chunkSize;
      this.beginLine();
    } else if (contentLength > 0) {
      this.state = STATE.length;
      this.left = contentLength;
    } else {
      this.state = STATE.untilClose;
      this.head.staysOpen = false;
    }
  }

  private readBody(bytes: Buffer, at: number, to: number): void {
    if (this.state === STATE.length) {
      const end = at + Math.min(this.left, to - at);
      this.add(bytes, at, end);
      this.left -= end - at;
      if (this.left > 0) return;
      this.end();
      this.hasMore = end < to;
    } else if (this.state === STATE.untilClose) {
      this.add(bytes, at, to);
    } else if (this.state < STATE.done) {
      this.readChunks(bytes, at, to);
    } else if (at < to) {
      this.hasMore = true;
    }
  }

  /** Moves the data of all chunks in the piece together, so that it is copied once. */
  private readChunks(bytes: Buffer, from: number, to: number): void {
    let at = from;
    let first = from;
    let last = from;
    while (at < to && this.state < STATE.done) {
      if (this.state !== STATE.chunkData) {
        this.step(bytes[at] as number);
        at += 1;
        continue;
      }
      const end = at + Math.min(this.left, to - at);
      if (last === first) first = last = at;
      else bytes.copyWithin(last, at, end);
      last += end - at;
      this.left -= end - at;
      at = end;
      if (this.left === 0) this.state = STATE.chunkDataCr;
    }
    this.add(bytes, first, last);
    if (this.isDone && at < to) this.hasMore = true;
  }

  private add(bytes: Buffer, from: number, to: number): void {
    if (from === to) return;
    const copy = Buffer.allocUnsafe(to - from);
    bytes.copy(copy, 0, from, to);
    this.body = this.body === null ? copy : Buffer.concat([this.body, copy]);
  }

  private step(byte: number): void {
    if (this.state >= STATE.trailerStart) {
      this.lineBytes += 1;
      if (this.lineBytes > TRAILERS_BYTES_MAX) this.fail('its trailers are too long');
      else this.stepTrailer(byte);
    } else if (this.state === STATE.chunkSize) {
      this.stepSize(byte);
    } else {
      this.stepChunk(byte);
    }
  }

  private beginLine(): void {
    this.lineBytes = 0;
    this.hasSize = false;
    this.left = 0;
  }

  private stepSize(byte: number): void {
    const digit = HEX_DIGITS[byte] as number;
    this.lineBytes += 1;
    if (digit < 16 && this.lineBytes < CHUNK_LINE_BYTES_MAX) {
      this.left = 16 * this.left + digit;
      this.hasSize = true;
      if (this.left > Number.MAX_SAFE_INTEGER) this.fail('a chunk is too large');
    } else if (this.hasSize && byte === CR) {
      this.state = STATE.chunkSizeLf;
    } else if (this.hasSize && byte === SEMICOLON) {
      this.state = STATE.chunkExtension;
    } else {
      this.fail('a chunk size is malformed');
    }
  }

  private stepChunk(byte: number): void {
    if (this.state === STATE.chunkExtension) {
      this.lineBytes += 1;
      if (byte === CR) this.state = STATE.chunkSizeLf;
      else if (VALUE_BYTES[byte] !== 1 || this.lineBytes >= CHUNK_LINE_BYTES_MAX)
        this.fail('a chunk extension is malformed or too long');
    } else if (this.state === STATE.chunkDataCr) {
      if (byte === CR) this.state = STATE.chunkDataLf;
      else this.fail('a chunk is longer than its size');
    } else if (byte !== LF) {
      this.fail('a line does not end in CR LF');
    } else if (this.state === STATE.chunkDataLf) {
      this.state = STATE.chunkSize;
      this.beginLine();
    } else {
      this.lineBytes = 0;
      this.state = this.left > 0 ? STATE.chunkData : STATE.trailerStart;
    }
  }

  /** Validates trailers, which are then dropped. */
  private stepTrailer(byte: number): void {
    switch (this.state) {
      case STATE.trailerStart:
        if (byte === CR) this.state = STATE.lastLf;
        else if (TOKEN_BYTES[byte] === 1) this.state = STATE.trailerName;
        else this.fail('a trailer is malformed');
        return;
      case STATE.trailerName:
        if (byte === COLON) this.state = STATE.trailerValue;
        else if (TOKEN_BYTES[byte] !== 1) this.fail('a trailer is malformed');
        return;
      case STATE.trailerValue:
        if (byte === CR) this.state = STATE.trailerLf;
        else if (VALUE_BYTES[byte] !== 1) this.fail('a trailer is malformed');
        return;
      default:
        if (byte !== LF) this.fail('a line does not end in CR LF');
        else if (this.state === STATE.lastLf) this.end();
        else this.state = STATE.trailerStart;
    }
  }
}
