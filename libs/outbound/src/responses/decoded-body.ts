import { pipeline, Readable } from 'node:stream';
import { decode, streamDecoder, type Coding } from './decoding';
import type { ResponseMemory } from './held-memory';
import type { ResponseBody, TooLarge } from './response-body';

/** The body of a response. The reader must read or discard it. */
export type StreamedBody = Pick<
  ResponseBody,
  'expectEnd' | 'whole' | 'discard' | typeof Symbol.asyncIterator
>;

export interface DecodingErrors {
  readonly tooLarge: TooLarge;
  /** The error of a body for which there is no memory. */
  readonly noMemory: () => Error;
  /** The error of bytes that do not have the coding. */
  readonly undecodable: () => Error;
}

export interface DecodedBodyOptions extends DecodingErrors {
  readonly coding: Coding;
  /** Decoded bytes of a body that is read in chunks. */
  readonly bytesMax: number;
  /** Null: bytes are not counted. */
  readonly memory: ResponseMemory | null;
}

/** Memory of a decoder for the duration of its stream: the largest window and overhead. */
const DECODER_BYTES: Readonly<Record<Coding, number>> = {
  gzip: 65_536,
  deflate: 65_536,
  br: 20_971_520,
  zstd: 10_485_760,
};

/**
 * A body with a content coding, decoded outside of the event loop. Bounds apply to decoded bytes.
 * The decoded bytes of a whole body stay counted until the owner of the memory ends it. A stream
 * whose coding ends early ends without an error, like one whose connection was closed early.
 */
export class DecodedBody implements StreamedBody {
  constructor(
    private readonly body: ResponseBody,
    private readonly options: DecodedBodyOptions,
  ) {}

  expectEnd(): void {
    this.body.expectEnd();
  }

  discard(): void {
    this.body.discard();
  }

  async whole(bytesMax: number): Promise<Buffer> {
    const { coding, memory, tooLarge, noMemory, undecodable } = this.options;
    const encoded = await this.body.whole(bytesMax);
    if (encoded.length === 0) return encoded;
    const pieces: Buffer[] = [];
    let isRoom = true;
    const end = await decode([encoded], coding, bytesMax, (piece) => {
      isRoom &&= memory?.take(piece.length) !== false;
      if (isRoom) pieces.push(piece);
    });
    if (!isRoom) throw noMemory();
    if (end === 'whole') return Buffer.concat(pieces);
    throw end === 'too_large' ? tooLarge('The response', bytesMax) : undecodable();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    const { coding, memory, noMemory, bytesMax, tooLarge } = this.options;
    if (memory?.take(DECODER_BYTES[coding]) === false) {
      this.body.discard();
      throw noMemory();
    }
    const decoder = streamDecoder(coding);
    const encoded: Encoded = { bytes: 0, error: null };
    const source = Readable.from(caught(this.body, encoded));
    // Errors of the pipeline also arrive at the decoder, which is read below.
    pipeline(source, decoder, () => undefined);
    let left = bytesMax;
    try {
      for await (const chunk of decoder as AsyncIterable<Buffer>) {
        left -= chunk.length;
        if (left < 0) throw tooLarge('The response', bytesMax);
        yield chunk;
      }
    } catch (error) {
      if (encoded.error !== null) throw encoded.error;
      if (!isOfDecoder(error)) throw error;
      if (error.code !== ENDED_EARLY) throw this.options.undecodable();
    } finally {
      memory?.give(DECODER_BYTES[coding]);
      decoder.destroy();
      this.body.discard();
    }
    this.assertWhole(encoded, decoder.bytesWritten);
  }

  /** Throws the error of a body that broke off, or of a decoder that ended before the body. */
  private assertWhole({ error, bytes }: Encoded, decodedBytes: number): void {
    if (error !== null) throw error;
    // Other codings ignore bytes after their end.
    if (this.options.coding === 'zstd' && decodedBytes < bytes) throw this.options.undecodable();
  }
}

interface Encoded {
  /** Number of encoded bytes read. */
  bytes: number;
  /** The error of a body that broke off; null for none. */
  error: Error | null;
}

/**
 * Yields the chunks and records the error of a body that broke off, so that the decoder still
 * returns the bytes before it.
 */
async function* caught(body: ResponseBody, encoded: Encoded): AsyncGenerator<Buffer, void> {
  try {
    for await (const chunk of body) {
      encoded.bytes += chunk.length;
      yield chunk;
    }
  } catch (error) {
    encoded.error = error as Error;
  }
}

const ENDED_EARLY = 'Z_BUF_ERROR';

/** Code of the error of a decoder that gets further input after its end. */
const AFTER_END = 'ERR_STREAM_PUSH_AFTER_EOF';

const isOfDecoder = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  ('errno' in error || error.code === AFTER_END);
