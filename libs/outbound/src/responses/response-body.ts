import { addPiece } from '@gw/kernel';
import type { OutboundCall } from '../types';
import type { ResponseMemory } from './held-memory';

/**
 * Creates the error for a body above its bound. `what`: subject of the message, for example `The
 * response`.
 */
export type TooLarge = (what: string, bytesMax: number) => Error;

/** Bytes that wait for their reader before the connection is paused. */
const WAITING_BYTES_MAX = 65_536;
/**
 * After `expectEnd`, a discarded body may end by itself within this time and this many bytes, so
 * that its connection is reused.
 */
const LINGER_MS = 1_000;
const LINGER_BYTES_MAX = 65_536;

/**
 * The body of a response as chunks. The connection is paused when `WAITING_BYTES_MAX` wait for the
 * reader, until less than half of them wait, so that a slow reader does not fill the memory. A
 * reader that stops early aborts the call. Bytes are counted in `memory` from their arrival until
 * they are read as chunks; a whole body stays counted, and its owner ends the memory.
 */
export class ResponseBody implements AsyncIterable<Buffer> {
  private readonly chunks: Buffer[] = [];
  /** Number of bytes in `chunks`. */
  private waiting = 0;
  private isPaused = false;
  /** Whether the body is read as a whole and therefore never paused. */
  private readsWhole = false;
  /**
   * State of the body. While it is `open`, a reader that stops early aborts the call. After
   * `expectEnd` (`endsSoon`) the body lingers instead (`lingered`) until it ends, or the call is
   * aborted at a bound.
   */
  private end: 'open' | 'complete' | 'failed' = 'open';
  private error: Error | null = null;
  private wake: (() => void) | null = null;
  /** Set by `expectEnd`. */
  private endsSoon = false;
  /** Number of bytes that arrived after the reader stopped; null: the body does not linger. */
  private lingered: number | null = null;
  private lingerTimer: NodeJS.Timeout | null = null;

  constructor(
    private readonly call: () => OutboundCall,
    private readonly tooLarge: TooLarge,
    private readonly memory: ResponseMemory | null,
  ) {}

  /** Takes a chunk. Returns false when there is no memory for it; the response must then fail. */
  push(chunk: Buffer): boolean {
    if (this.lingered !== null) {
      this.lingered += chunk.length;
      if (this.lingered > LINGER_BYTES_MAX) this.call().abort();
      return true;
    }
    if (this.end !== 'open') return true;
    if (this.memory?.take(chunk.length) === false) return false;
    addPiece(this.chunks, chunk);
    this.waiting += chunk.length;
    if (this.waiting >= WAITING_BYTES_MAX && !this.isPaused && !this.readsWhole) {
      this.isPaused = true;
      this.call().pause();
    }
    this.wake?.();
    return true;
  }

  /** Ends the body, with an error if it broke. Chunks that arrived before are read first. */
  finish(error: Error | null): void {
    if (this.end !== 'open') return;
    this.end = error === null ? 'complete' : 'failed';
    this.error = error;
    if (this.lingerTimer !== null) clearTimeout(this.lingerTimer);
    this.wake?.();
  }

  /**
   * Lets the body end by itself after the reader stops, so that the connection can be reused. Call
   * it when the rest is not needed.
   */
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

  /**
   * Returns the whole body. Rejects with the error of `tooLarge` beyond the bound, or of `finish`.
   */
  whole(bytesMax: number): Promise<Buffer> {
    this.readsWhole = true;
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

  /**
   * Drops the waiting chunks. Aborts an incomplete body, which after `expectEnd` may linger first.
   */
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
    if (this.isPaused && this.waiting < WAITING_BYTES_MAX / 2) this.flow();
    return chunk;
  }

  private flow(): void {
    this.isPaused = false;
    this.call().resume();
  }
}
