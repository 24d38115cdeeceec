import { crc32 } from 'node:zlib';

/** A complete response that can be stored and replayed. */
export interface CachedResponse {
  readonly status: number;
  /** Flat names and values, filtered by `storableHeaders`. */
  readonly headers: readonly string[];
  /**
   * The body in the chunks in which it arrived, with small ones joined. Readers must not change it,
   * because several replays share it.
   */
  readonly chunks: readonly Buffer[];
  /** Whether the body is an event stream. */
  readonly streamed: boolean;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
}

const VERSION = 1;
/** Version, checksum, length of the description, number of chunks. */
const HEAD_BYTES = 1 + 4 + 4 + 4;
const CHECKED_FROM = 5;

/**
 * Encodes a response to its own buffer: version, CRC-32 of the rest, length of the description,
 * number of chunks, description as JSON, lengths of the chunks, chunks.
 */
export function encodeResponse(response: CachedResponse): Buffer {
  const { chunks, ...description } = response;
  const text = Buffer.from(JSON.stringify(description), 'utf8');
  const bodyBytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const frame = Buffer.allocUnsafeSlow(HEAD_BYTES + text.length + 4 * chunks.length + bodyBytes);
  frame.writeUInt8(VERSION, 0);
  frame.writeUInt32LE(text.length, 5);
  frame.writeUInt32LE(chunks.length, 9);
  let at = HEAD_BYTES + text.copy(frame, HEAD_BYTES);
  for (const chunk of chunks) at = frame.writeUInt32LE(chunk.length, at);
  for (const chunk of chunks) at += chunk.copy(frame, at);
  frame.writeUInt32LE(crc32(frame.subarray(CHECKED_FROM)), 1);
  return frame;
}

/**
 * Decodes a frame; returns null for one that `encodeResponse` did not write or that was damaged.
 * The chunks point into `frame`.
 */
export function decodeResponse(frame: Buffer): CachedResponse | null {
  if (frame.length < HEAD_BYTES || frame[0] !== VERSION) return null;
  if (frame.readUInt32LE(1) !== crc32(frame.subarray(CHECKED_FROM))) return null;
  const lengthsAt = HEAD_BYTES + frame.readUInt32LE(5);
  const count = frame.readUInt32LE(9);
  let at = lengthsAt + 4 * count;
  if (at > frame.length) return null;
  const chunks: Buffer[] = [];
  for (let i = 0; i < count; i += 1) {
    const end = at + frame.readUInt32LE(lengthsAt + 4 * i);
    chunks.push(frame.subarray(at, end));
    at = end;
  }
  if (at !== frame.length) return null;
  const description = JSON.parse(frame.toString('utf8', HEAD_BYTES, lengthsAt)) as Omit<
    CachedResponse,
    'chunks'
  >;
  return { ...description, chunks };
}

/**
 * Headers that describe the body. Others belong to one request (ids, limits, cookies) or may carry
 * a secret.
 */
const STORABLE: ReadonlySet<string> = new Set([
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'openai-model',
  'openai-version',
]);

/** Returns the storable part of a flat header list, with lower-case names. */
export function storableHeaders(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = (headers[i] as string).toLowerCase();
    if (STORABLE.has(name)) kept.push(name, headers[i + 1] as string);
  }
  return kept;
}

/** Type of the event streams of AWS. */
export const AWS_EVENTS = 'application/vnd.amazon.eventstream';

/** Returns whether the flat list declares an event stream. */
export function isEventStream(headers: readonly string[]): boolean {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if ((headers[i] as string).toLowerCase() === 'content-type')
      return isEventType((headers[i + 1] as string).toLowerCase());
  }
  return false;
}

const isEventType = (type: string): boolean => TYPES.some((known) => type.startsWith(known));
const TYPES = ['text/event-stream', AWS_EVENTS] as const;
