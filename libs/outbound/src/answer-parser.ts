import { AnswerHead, CR, INCOMPLETE, INVALID, LF, TOKEN_BYTES, VALUE_BYTES } from './answer-head';

const HEAD_BYTES_MAX = 64 * 1024;
/** Interim answers before one answer. Some providers send one every few seconds to show that they are at work. */
const INTERIM_MAX = 100;
/** Size and extensions of one chunk. */
const CHUNK_LINE_BYTES_MAX = 4_096;
const TRAILERS_BYTES_MAX = 64 * 1024;
/** No status line is distinguished from other protocols by less. */
const STATUS_LINE_BYTES_MIN = 13;
const PENDING_BYTES_MIN = 1_024;

const EMPTY = Buffer.alloc(0);
const [SEMICOLON, COLON] = [59, 58];

/** The value of each hexadecimal digit; 255 for all other bytes. */
const HEX_DIGITS = new Uint8Array(256).fill(255);
for (let digit = 0; digit < 16; digit += 1) {
  for (const text of [digit.toString(16), digit.toString(16).toUpperCase()])
    HEX_DIGITS[text.charCodeAt(0)] = digit;
}

/** What is read next. */
const STATE = {
  head: 0,
  /** Body of known length. */
  length: 1,
  /** Body that the end of the connection ends. */
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
 * Reads the answers that come over one connection, one `begin` each, in whatever pieces they arrive. Nothing is called back:
 * `read` takes in one piece, and its fields then tell what that has brought. So no handler runs while bytes are being read,
 * and all that is kept has been copied out of the piece.
 */
export class AnswerParser {
  /** Valid once `hasHead` is set. */
  readonly head = new AnswerHead();
  /** The head of the answer has come: not one of an interim answer, which are skipped. */
  hasHead = false;
  isDone = false;
  /** What is not valid about the answer. */
  failure: string | null = null;
  private body: Buffer | null = null;
  private state: number = STATE.head;
  private isBodyless = false;
  private hasMore = false;
  private interims = 0;
  /** Bytes to come of the body or the present chunk. */
  private left = 0;
  /** Bytes of the present chunk's line, or of all trailers. */
  private lineBytes = 0;
  private hasSize = false;
  /** Of a head, `pendingBytes` of it, when it does not come in one piece. */
  private pending = EMPTY;
  private pendingBytes = 0;

  /** Makes ready for the next answer. */
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

  /** The end of the connection is the end of the answer. */
  get endsWithConnection(): boolean {
    return this.state === STATE.untilClose;
  }

  /** The answer is complete and leaves the connection fit for another. */
  get leavesConnectionFit(): boolean {
    const { head } = this;
    // After an answer to HEAD or a 304 with a length, a provider may take it for right to send a body all the same.
    const mayHaveBody = this.isBodyless && (head.contentLength > 0 || head.isChunked);
    return this.isDone && !this.hasMore && !mayHaveBody && head.staysOpen && head.idleMs > 0;
  }

  /** The pieces of the body that have come since the last time, as one. It belongs to the caller. */
  takeBody(): Buffer | null {
    const { body } = this;
    this.body = null;
    return body;
  }

  /** Takes in the first `length` bytes, which it may move about. Nothing of them is held on to. */
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

  /** The peer has closed its side in an orderly way. */
  finish(): void {
    if (this.state === STATE.untilClose) this.end();
  }

  private end(): void {
    this.state = STATE.done;
    this.isDone = true;
  }

  private fail(what: string): void {
    this.state = STATE.failed;
    this.failure = `The answer is not valid HTTP: ${what}.`;
    this.pending = EMPTY;
    this.pendingBytes = 0;
  }

  /** The index where the body begins, or -1 when there is no more to be done now. */
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
        this.fail(this.head.status === 101 ? 'it switches protocols unasked' : 'too many interim answers');
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

  /** A head that comes in many pieces is looked at again when another line of it is complete, which bounds how often. */
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

  /** What all chunks of the piece hold is moved together, so that it is copied out once. */
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

  /** Trailers must be well-formed, and are dropped. */
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
