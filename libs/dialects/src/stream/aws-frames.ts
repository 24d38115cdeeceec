import { crc32 } from 'node:zlib';

/** Maximum number of bytes of one frame, which is AWS's limit. */
export const FRAME_MAX = 16 * 1024 * 1024;

/** Number of bytes of the lengths and their checksum. */
const PRELUDE = 12;
const CHECKSUM = 4;
/** Initial size of the buffer for the rest of a chunk. */
const REST_MIN = 4 * 1024;
const STRING = 7;

/** One message of AWS's event stream. `payload` is valid until the next write. */
export interface AwsFrame {
  /** Kind of message; `exception` is an error of the service, `error` one of the connection. */
  readonly type: 'event' | 'exception' | 'error';
  /** Name of the event, the exception, or the code of the error. */
  readonly name: string;
  /** Text of an `error`, which has no payload; else ''. */
  readonly message: string;
  readonly payload: Buffer;
}

/**
 * Splits the bytes of `application/vnd.amazon.eventstream` into frames, wherever the chunks are
 * cut. Each byte is copied at most twice; memory is bounded by one frame. Source: AWS's event
 * stream specification.
 */
export class AwsFrameReader {
  /**
   * Whether the bytes are not an event stream, or a frame is damaged or larger than 16 MiB. The
   * stream cannot be read further.
   */
  broken = false;
  private rest: Buffer = Buffer.alloc(0);
  private length = 0;

  /** Whether the received bytes end inside a frame. */
  get hasRest(): boolean {
    return this.length > 0;
  }

  write(chunk: Buffer): AwsFrame[] {
    if (this.broken) return [];
    const bytes = this.joined(chunk);
    const frames: AwsFrame[] = [];
    let at = 0;
    while (at < bytes.length) {
      const size = this.sizeAt(bytes, at);
      if (size === null) break;
      const frame = readFrame(bytes.subarray(at, at + size));
      if (frame === null) {
        this.broken = true;
        break;
      }
      frames.push(frame);
      at += size;
    }
    this.keep(bytes.subarray(at), at > 0);
    return frames;
  }

  /** Returns the size of the frame at an index; null when it is incomplete or damaged. */
  private sizeAt(bytes: Buffer, at: number): number | null {
    const left = bytes.length - at;
    if (left < PRELUDE) return null;
    const size = bytes.readUInt32BE(at);
    const isWhole = size >= PRELUDE + CHECKSUM && size <= FRAME_MAX;
    if (!isWhole || crc32(bytes.subarray(at, at + 8)) !== bytes.readUInt32BE(at + 8)) this.broken = true;
    return this.broken || left < size ? null : size;
  }

  private joined(chunk: Buffer): Buffer {
    if (this.length === 0) return chunk;
    const length = this.length + chunk.length;
    if (length > this.rest.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, this.rest.length * 2, REST_MIN));
      this.rest.copy(grown, 0, 0, this.length);
      this.rest = grown;
    }
    chunk.copy(this.rest, this.length);
    return this.rest.subarray(0, length);
  }

  /**
   * Stores an incomplete frame. `isTaken` tells whether frames of the joined bytes are in use, so
   * that the rest must not overwrite them.
   */
  private keep(rest: Buffer, isTaken: boolean): void {
    const wasJoined = this.length > 0;
    this.length = this.broken ? 0 : rest.length;
    if (this.length === 0) {
      if (this.rest.length > REST_MIN) this.rest = Buffer.alloc(0);
      return;
    }
    // Without a complete frame, the added bytes are already in the right place.
    if (wasJoined && !isTaken) return;
    if (wasJoined || rest.length > this.rest.length) {
      this.rest = Buffer.allocUnsafe(Math.max(rest.length, REST_MIN));
    }
    rest.copy(this.rest);
  }
}

/** Reads a complete frame; null if its checksum or its headers are wrong. */
function readFrame(frame: Buffer): AwsFrame | null {
  const end = frame.length - CHECKSUM;
  const headersEnd = PRELUDE + frame.readUInt32BE(4);
  if (headersEnd > end || crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) return null;
  const headers = readHeaders(frame.subarray(PRELUDE, headersEnd));
  if (headers === null) return null;
  const payload = frame.subarray(headersEnd, end);
  const type = headers.get(':message-type');
  const name = NAMES.get(type ?? '');
  if (name === undefined) return null;
  return {
    type: type as AwsFrame['type'],
    name: headers.get(name) ?? '',
    message: headers.get(':error-message') ?? '',
    payload,
  };
}

/** Header that contains the name, by type of message. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['event', ':event-type'],
  ['exception', ':exception-type'],
  ['error', ':error-code'],
]);

/**
 * Number of bytes of the values of fixed size, by type: true, false, byte, short, integer, long, -,
 * -, timestamp, UUID.
 */
const SIZES: readonly (number | null)[] = [0, 0, 1, 2, 4, 8, null, null, 8, 16];

/** Returns the text headers; null when the headers are truncated. */
function readHeaders(bytes: Buffer): ReadonlyMap<string, string> | null {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd];
    const fixed = type === undefined ? undefined : SIZES[type];
    if (type === undefined || fixed === undefined) return null;
    let valueAt = nameEnd + 1;
    let size = fixed ?? 0;
    if (fixed === null) {
      if (valueAt + 2 > bytes.length) return null;
      size = bytes.readUInt16BE(valueAt);
      valueAt += 2;
    }
    if (valueAt + size > bytes.length) return null;
    if (type === STRING) {
      headers.set(bytes.toString('latin1', at + 1, nameEnd), bytes.toString('utf8', valueAt, valueAt + size));
    }
    at = valueAt + size;
  }
  return headers;
}
