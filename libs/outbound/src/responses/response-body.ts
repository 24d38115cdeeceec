import type { OutboundCall } from '../types';
import type { ResponseMemory } from './held-memory';

/** Makes the error for what is larger than its bound. `what` begins a sentence. */
export type TooLarge = (what: string, bytesMax: number) => Error;

/** Bytes that wait for their reader before the connection is paused. */
const WAITING_MAX = 65_536;
/** Milliseconds and bytes that a body may take to end after all of interest was read. */
const LINGER_MS = 1_000;
const LINGER_BYTES_MAX = 65_536;

/**
 * The body of a response as chunks. The connection is paused while 64 KiB wait for the reader, so
 * that a slow reader bounds the memory. A reader that stops early aborts the call. Bytes are counted in `memory` from their
 * arrival until they are read as chunks; a whole body stays counted, and its owner ends the memory.
 */
export class ResponseBody implements AsyncIterable<Buffer> {
  private readonly chunks: Buffer[] = [];
  private waiting = 0;
  private isPaused = false;
  /** The reader wants all of it, so that nothing waits for the reader. */
  private isWanted = false;
  private end: 'open' | 'complete' | 'failed' = 'open';
  private error: Error | null = null;
  private wake: (() => void) | null = null;
  private endsSoon = false;
  /** Bytes that still arrived after the reader left; null while it reads. */
  private lingered: number | null = null;
  private lingerTimer: NodeJS.Timeout | null = null;

  constructor(
    private readonly call: () => OutboundCall,
    private readonly tooLarge: TooLarge,
    private readonly memory: ResponseMemory | null,
  ) {}

  /** Takes a chunk. False: there is no memory for it, and the response must fail. */
  push(chunk: Buffer): boolean {
    if (this.lingered !== null) {
      this.lingered += chunk.length;
      if (this.lingered > LINGER_BYTES_MAX) this.call().abort();
      return true;
    }
    if (this.end !== 'open') return true;
    if (this.memory?.take(chunk.length) === false) return false;
    this.chunks.push(chunk);
    this.waiting += chunk.length;
    if (this.waiting >= WAITING_MAX && !this.isPaused && !this.isWanted) {
      this.isPaused = true;
      this.call().pause();
    }
    this.wake?.();
    return true;
  }

  /** The body is complete, or broke with an error. Chunks that arrived before are read first. */
  finish(error: Error | null): void {
    if (this.end !== 'open') return;
    this.end = error === null ? 'complete' : 'failed';
    this.error = error;
    if (this.lingerTimer !== null) clearTimeout(this.lingerTimer);
    this.wake?.();
  }

  /** All of interest was read: when the reader leaves, the body may end by itself, which keeps the connection. */
  expectEnd(): void {
    this.endsSoon = true;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    try {
      for (;;) {
        const chunk = this.take();
        if (chunk !== null) yield chunk;
        else if (this.end === 'open') await new Promise<void>((resolve) => (this.wake = resolve));
        else if (this.error !== null) throw this.error;
        else return;
      }
    } finally {
      this.discard();
    }
  }

  /** The whole body. Rejects with what `tooLarge` makes beyond the bound. */
  whole(bytesMax: number): Promise<Buffer> {
    this.isWanted = true;
    if (this.isPaused) this.flow();
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const { chunks, waiting, end, error } = this;
        if (waiting > bytesMax) {
          this.wake = null;
          this.discard();
          reject(this.tooLarge('The response', bytesMax));
        } else if (error !== null) reject(error);
        else if (end === 'complete')
          resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
      };
      this.wake = look;
      look();
    });
  }

  /** Drops what waits. Ends the call when the body is not complete, or soon after `expectEnd`. */
  discard(): void {
    this.chunks.length = 0;
    this.memory?.give(this.waiting);
    this.waiting = 0;
    if (this.end !== 'open' || this.lingered !== null) return;
    if (!this.endsSoon) {
      this.call().abort();
      return;
    }
    this.lingered = 0;
    this.lingerTimer = setTimeout(() => this.call().abort(), LINGER_MS).unref();
    if (this.isPaused) this.call().resume();
  }

  private take(): Buffer | null {
    const chunk = this.chunks.shift() ?? null;
    if (chunk === null) return null;
    this.waiting -= chunk.length;
    this.memory?.give(chunk.length);
    if (this.isPaused && this.waiting < WAITING_MAX / 2) this.flow();
    return chunk;
  }

  private flow(): void {
    this.isPaused = false;
    this.call().resume();
  }
}
