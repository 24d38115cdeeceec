import { crc32 } from 'node:zlib';

/**
 * One log record on its way from a gateway to a worker, the same bytes in the journal, over HTTP and in a Redis stream:
 *
 * | bytes | little-endian | |
 * |---|---|---|
 * | 0–3 | magic and version | `TGJ1` |
 * | 4–7 | CRC-32 of all that follows | header rest and payload |
 * | 8–11 | length of the metadata | UTF-8 JSON of a `LogRecord` |
 * | 12–15 | length of the request body | `ABSENT`, `OMITTED` or bytes |
 * | 16–19 | length of the response body | the same |
 * | 20– | metadata, request body, response body | raw |
 */
const MAGIC = 0x314a4754;
const HEADER_BYTES = 20;
const ABSENT = 0xffffffff;
const OMITTED = 0xfffffffe;

/** The largest frame, 8 MiB. Bodies that would not fit are left out and marked; metadata that does not fit is refused. */
export const FRAME_BYTES_MAX = 8 * 1024 * 1024;

export type FrameBody = Buffer | readonly Buffer[] | null;

/** What one frame will hold. `meta` is text, so that its bytes are written once, straight into the target. */
export interface FrameParts {
  readonly meta: string | Buffer;
  readonly request: FrameBody | typeof OMITTED_BODY;
  readonly response: FrameBody | typeof OMITTED_BODY;
  /** Of the whole frame, header included. */
  readonly bytes: number;
  readonly metaBytes: number;
}

const OMITTED_BODY = 'omitted';

/** A frame as read back. `null` body: there was none, or it was left out (`requestOmitted`, `responseOmitted`). */
export interface Frame {
  readonly meta: Buffer;
  readonly request: Buffer | null;
  readonly response: Buffer | null;
  readonly requestOmitted: boolean;
  readonly responseOmitted: boolean;
}

/** Measures a frame. Null: the metadata alone is over `FRAME_BYTES_MAX`. */
export function planFrame(meta: string | Buffer, request: FrameBody, response: FrameBody): FrameParts | null {
  const metaBytes = typeof meta === 'string' ? Buffer.byteLength(meta) : meta.length;
  let bytes = HEADER_BYTES + metaBytes;
  if (bytes > FRAME_BYTES_MAX) return null;
  const fit = (body: FrameBody): FrameBody | typeof OMITTED_BODY => {
    const length = bodyBytes(body);
    if (bytes + length > FRAME_BYTES_MAX) return OMITTED_BODY;
    bytes += length;
    return body;
  };
  const fittingRequest = fit(request);
  const fittingResponse = fit(response);
  return { meta, request: fittingRequest, response: fittingResponse, bytes, metaBytes };
}

/** Writes a planned frame into `target` at `at`; the target must have `parts.bytes` left. Returns the offset behind it. */
export function writeFrame(target: Buffer, at: number, parts: FrameParts): number {
  target.writeUInt32LE(MAGIC, at);
  target.writeUInt32LE(parts.metaBytes, at + 8);
  target.writeUInt32LE(lengthField(parts.request), at + 12);
  target.writeUInt32LE(lengthField(parts.response), at + 16);
  let offset = at + HEADER_BYTES;
  if (typeof parts.meta === 'string') target.write(parts.meta, offset, parts.metaBytes, 'utf8');
  else parts.meta.copy(target, offset);
  offset += parts.metaBytes;
  offset = copyBody(target, offset, parts.request);
  offset = copyBody(target, offset, parts.response);
  target.writeUInt32LE(crc32(target.subarray(at + 8, offset)), at + 4);
  return offset;
}

/** One frame in a buffer of its own. Null as in `planFrame`. */
export function encodeFrame(meta: string | Buffer, request: FrameBody, response: FrameBody): Buffer | null {
  const parts = planFrame(meta, request, response);
  if (!parts) return null;
  const target = Buffer.allocUnsafe(parts.bytes);
  writeFrame(target, 0, parts);
  return target;
}

/**
 * The length of the frame at `at`: `incomplete` when the buffer ends inside it (`bytes`: what the header says, 0 when even the
 * header is cut), `invalid` when these bytes are no frame.
 */
export type FrameProbe =
  | { readonly kind: 'frame'; readonly bytes: number }
  | { readonly kind: 'incomplete'; readonly bytes: number }
  | { readonly kind: 'invalid' };

const INVALID: FrameProbe = { kind: 'invalid' };

/** Looks at the bytes at `at` and checks the CRC of a whole frame. */
export function probeFrame(buffer: Buffer, at: number): FrameProbe {
  if (buffer.length - at < HEADER_BYTES) return { kind: 'incomplete', bytes: 0 };
  if (buffer.readUInt32LE(at) !== MAGIC) return INVALID;
  const bytes =
    HEADER_BYTES +
    buffer.readUInt32LE(at + 8) +
    payloadBytes(buffer.readUInt32LE(at + 12)) +
    payloadBytes(buffer.readUInt32LE(at + 16));
  if (bytes > FRAME_BYTES_MAX) return INVALID;
  if (buffer.length - at < bytes) return { kind: 'incomplete', bytes };
  if (crc32(buffer.subarray(at + 8, at + bytes)) !== buffer.readUInt32LE(at + 4)) return INVALID;
  return { kind: 'frame', bytes };
}

/** The frames of a batch, as views on its bytes, and whether bytes that are no frame stopped the reading. */
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

const payloadBytes = (field: number): number => (field >= OMITTED ? 0 : field);

function bodyBytes(body: FrameBody | typeof OMITTED_BODY): number {
  if (body === null || body === OMITTED_BODY) return 0;
  if (Buffer.isBuffer(body)) return body.length;
  let bytes = 0;
  for (const chunk of body as readonly Buffer[]) bytes += chunk.length;
  return bytes;
}

function lengthField(body: FrameBody | typeof OMITTED_BODY): number {
  if (body === null) return ABSENT;
  return body === OMITTED_BODY ? OMITTED : bodyBytes(body);
}

function copyBody(target: Buffer, at: number, body: FrameBody | typeof OMITTED_BODY): number {
  if (body === null || body === OMITTED_BODY) return at;
  if (Buffer.isBuffer(body)) return at + body.copy(target, at);
  let offset = at;
  for (const chunk of body as readonly Buffer[]) offset += chunk.copy(target, offset);
  return offset;
}
