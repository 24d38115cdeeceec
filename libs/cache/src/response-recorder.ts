import { addPiece } from '@gw/kernel';
import type { OutboundError, OutboundHandler } from '@gw/outbound';
import { isEventStream, storableHeaders, type CachedResponse } from './cached-response';

/** Checks a response while it passes. */
export interface ResponseCheck {
  write(chunk: Buffer): void;
  /**
   * Called once at the end. False when the response is incomplete or reports an error, so that it
   * is not stored.
   */
  isWhole(chunks: readonly Buffer[]): boolean;
}

/** Memory shared by all recordings. */
export interface RecordingMemory {
  /** Reserves bytes; returns false when there is not enough memory. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export interface RecorderOptions {
  /**
   * Maximum bytes of a body. A longer response is passed on but not stored, like one without
   * available memory.
   */
  readonly bodyBytesMax: number;
  readonly memory: RecordingMemory;
  /** Returns null when such a response must not be stored. */
  readonly check: (status: number, headers: readonly string[]) => ResponseCheck | null;
  /** Called with a complete response after its end was sent. */
  readonly onWhole: (response: CachedResponse) => void;
  /** Returns Unix milliseconds. */
  readonly now?: () => number;
}

/** Whether a status is a success with a complete body. Accepted (202) and partial (206) responses are
 * not stored, because another caller cannot use them.
 */
export const isStorableStatus = (status: number): boolean =>
  status >= 200 && status < 300 && status !== 202 && status !== 206;

/**
 * Passes a response on, unchanged and without delay, and records it until its end.
 * Only a complete response is passed to `onWhole`; one that was cut, cancelled or too long is
 * discarded. Holds at most `bodyBytesMax`, with small chunks joined.
 */
export class ResponseRecorder implements OutboundHandler {
  private status = 0;
  private headers: readonly string[] = [];
  private check: ResponseCheck | null = null;
  private chunks: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly next: OutboundHandler,
    private readonly options: RecorderOptions,
  ) {}

  onHeaders(status: number, headers: readonly string[]): void {
    if (isStorableStatus(status)) {
      this.status = status;
      this.headers = headers;
      this.check = this.options.check(status, headers);
    }
    this.next.onHeaders(status, headers);
  }

  onData(chunk: Buffer): void {
    if (this.check !== null) this.keep(chunk, this.check);
    this.next.onData(chunk);
  }

  onEnd(): void {
    const { check, chunks } = this;
    this.next.onEnd();
    if (check?.isWhole(chunks) === true) {
      this.options.onWhole({
        status: this.status,
        headers: storableHeaders(this.headers),
        chunks,
        streamed: isEventStream(this.headers),
        createdAtMs: (this.options.now ?? Date.now)(),
      });
    }
    this.forget();
  }

  onError(error: OutboundError): void {
    this.forget();
    this.next.onError(error);
  }

  private keep(chunk: Buffer, check: ResponseCheck): void {
    if (this.bytes + chunk.length > this.options.bodyBytesMax || !this.options.memory.take(chunk.length)) {
      this.forget();
      return;
    }
    this.bytes += chunk.length;
    addPiece(this.chunks, chunk);
    check.write(chunk);
  }

  private forget(): void {
    this.check = null;
    this.chunks = [];
    this.options.memory.give(this.bytes);
    this.bytes = 0;
  }
}
