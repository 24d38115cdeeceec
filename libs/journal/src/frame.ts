import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';

/**
 * A frame: one log record. The bytes are the same in the journal, over HTTP and in a Redis stream:
 *
 * | bytes | little-endian | |
 * |---|---|---|
 * | 0–3 | magic and version | `TGJ1` |
 * | 4–7 | CRC-32 of everything that follows | rest of the header, and payload |
 * | 8–11 | length of the metadata | UTF-8 JSON of a `LogRecord` |
 * | 12–15 | length of the request body | `ABSENT`, `OMITTED` or bytes |
 * | 16–19 | length of the response body | the same |
 * | 20– | metadata, request body, response body | raw |
 */
const MAGIC = 0x314a4754;
const MAGIC_BYTES = Buffer.from('TGJ1', 'latin1');
const HEADER_BYTES = 20;
/** Length of the end mark: zeros in place of the next frame or block. Bytes behind it are older. */
export const END_MARK_BYTES = 4;
const ABSENT = 0xffffffff;
const OMITTED = 0xfffffffe;
const OMITTED_BODY = 'omitted';

/**
 * Maximum size of a frame: 8 MiB. Bodies that do not fit are omitted and marked so; metadata that
 * does not fit is refused.
 */
export const FRAME_BYTES_MAX = 8 * 1024 * 1024;

export type FrameBody = Buffer | readonly Buffer[] | null;

/**
 * A decoded frame. A body is null if there was none, or if it was omitted (`requestOmitted`,
 * `responseOmitted`).
 */
export interface Frame {
  readonly meta: Buffer;
  readonly request: Buffer | null;
  readonly response: Buffer | null;
  readonly requestOmitted: boolean;
  readonly responseOmitted: boolean;
}

/**
 * Returns an upper bound of a frame's size without encoding the text: each UTF-16 code unit takes
 * at most three bytes.
 */
export function frameBytesAtMost(meta: string | Buffer, request: FrameBody, response: FrameBody): number {
  const metaBytes = typeof meta === 'string' ? meta.length * 3 : meta.length;
  return HEADER_BYTES + metaBytes + bodyBytes(request) + bodyBytes(response);
}

/**
 * Writes a frame into `target` at `at` and returns the offset behind it. `target` must have room
 * for `frameBytesAtMost`.
 */
export function writeFrame(
  target: Buffer,
  at: number,
  meta: string | Buffer,
  request: FrameBody | typeof OMITTED_BODY,
  response: FrameBody | typeof OMITTED_BODY,
): number {
  const metaAt = at + HEADER_BYTES;
  const metaBytes = typeof meta === 'string' ? target.write(meta, metaAt) : meta.copy(target, metaAt);
  const requestEnd = copyBody(target, metaAt + metaBytes, request);
  const end = copyBody(target, requestEnd, response);
  target.writeUInt32LE(MAGIC, at);
  target.writeUInt32LE(metaBytes, at + 8);
  target.writeUInt32LE(lengthField(request, requestEnd - metaAt - metaBytes), at + 12);
  target.writeUInt32LE(lengthField(response, end - requestEnd), at + 16);
  target.writeUInt32LE(crc32(target.subarray(at + 8, end)), at + 4);
  return end;
}

/**
 * Encodes a frame into a new buffer, without the bodies that do not fit. Returns null if the
 * metadata alone exceeds `FRAME_BYTES_MAX`.
 */
export function encodeFrame(meta: string | Buffer, request: FrameBody, response: FrameBody): Buffer | null {
  let bytes = HEADER_BYTES + Buffer.byteLength(meta);
  if (bytes > FRAME_BYTES_MAX) return null;
  const fit = (body: FrameBody): FrameBody | typeof OMITTED_BODY => {
    const length = bodyBytes(body);
    if (bytes + length > FRAME_BYTES_MAX) return OMITTED_BODY;
    bytes += length;
    return body;
  };
  const fittingRequest = fit(request);
  const fittingResponse = fit(response);
  const target = Buffer.allocUnsafe(bytes);
  writeFrame(target, 0, meta, fittingRequest, fittingResponse);
  return target;
}

/**
 * The kind of bytes at an offset of a buffer. `incomplete`: the buffer ends inside a frame (`bytes`
 * is the length according to its header, 0 if the header is incomplete). `end`: an end mark.
 * `invalid`: no frame.
 */
export type FrameProbe =
  | { readonly kind: 'frame'; readonly bytes: number }
  | { readonly kind: 'incomplete'; readonly bytes: number }
  | { readonly kind: 'end' }
  | { readonly kind: 'invalid' };

const INVALID: FrameProbe = { kind: 'invalid' };
const END: FrameProbe = { kind: 'end' };

/** Returns whether the magic number of a frame is at `at`. */
export const isFrameStart = (buffer: Buffer, at: number): boolean =>
  buffer.length - at >= END_MARK_BYTES && buffer.readUInt32LE(at) === MAGIC;

/**
 * Returns the offset of the next complete frame at or after `from`; the length of the buffer when
 * there is none.
 */
export function findFrame(buffer: Buffer, from: number): number {
  for (let at = buffer.indexOf(MAGIC_BYTES, from); at !== -1; at = buffer.indexOf(MAGIC_BYTES, at + 1))
    if (probeFrame(buffer, at).kind === 'frame') return at;
  return buffer.length;
}

/** Examines the bytes at `at` and checks the CRC of a complete frame. */
export function probeFrame(buffer: Buffer, at: number): FrameProbe {
  if (buffer.length - at >= END_MARK_BYTES && buffer.readUInt32LE(at) === 0) return END;
  if (buffer.length - at < HEADER_BYTES) return { kind: 'incomplete', bytes: 0 };
  if (buffer.readUInt32LE(at) !== MAGIC) return INVALID;
  const bytes = lengthAt(buffer, at);
  if (bytes > FRAME_BYTES_MAX) return INVALID;
  if (buffer.length - at < bytes) return { kind: 'incomplete', bytes };
  if (crc32(buffer.subarray(at + 8, at + bytes)) !== buffer.readUInt32LE(at + 4)) return INVALID;
  return { kind: 'frame', bytes };
}

/**
 * Decodes the frames of a batch as views on its bytes. `damaged`: bytes that are no frame ended the
 * decoding.
 */
export function decodeFrames(batch: Buffer): {
  readonly frames: readonly Frame[];
  readonly damaged: boolean;
} {
  const frames: Frame[] = [];
  let at = 0;
  while (at < batch.length) {
    const probe = probeFrame(batch, at);
    if (probe.kind !== 'frame') return { frames, damaged: true };
    frames.push(viewFrame(batch, at));
    at += probe.bytes;
  }
  return { frames, damaged: false };
}

function viewFrame(buffer: Buffer, at: number): Frame {
  const metaEnd = at + HEADER_BYTES + buffer.readUInt32LE(at + 8);
  const requestField = buffer.readUInt32LE(at + 12);
  const responseField = buffer.readUInt32LE(at + 16);
  const requestEnd = metaEnd + payloadBytes(requestField);
  return {
    meta: buffer.subarray(at + HEADER_BYTES, metaEnd),
    request: requestField >= OMITTED ? null : buffer.subarray(metaEnd, requestEnd),
    response: responseField >= OMITTED ? null : buffer.subarray(requestEnd, requestEnd + responseField),
    requestOmitted: requestField === OMITTED,
    responseOmitted: responseField === OMITTED,
  };
}

/** Returns the length of the frame whose header is at `at`. */
const lengthAt = (buffer: Buffer, at: number): number =>
  HEADER_BYTES +
  buffer.readUInt32LE(at + 8) +
  payloadBytes(buffer.readUInt32LE(at + 12)) +
  payloadBytes(buffer.readUInt32LE(at + 16));

const payloadBytes = (field: number): number => (field >= OMITTED ? 0 : field);

function bodyBytes(body: FrameBody): number {
  if (body === null) return 0;
  if (Buffer.isBuffer(body)) return body.length;
  let bytes = 0;
  for (const chunk of body as readonly Buffer[]) bytes += chunk.length;
  return bytes;
}

function lengthField(body: FrameBody | typeof OMITTED_BODY, bytes: number): number {
  if (body === null) return ABSENT;
  return body === OMITTED_BODY ? OMITTED : bytes;
}

function copyBody(target: Buffer, at: number, body: FrameBody | typeof OMITTED_BODY): number {
  if (body === null || body === OMITTED_BODY) return at;
  if (Buffer.isBuffer(body)) return at + body.copy(target, at);
  let offset = at;
  for (const chunk of body as readonly Buffer[]) offset += chunk.copy(target, offset);
  return offset;
}
