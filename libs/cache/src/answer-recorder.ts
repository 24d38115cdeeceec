import type { OutboundError, OutboundHandler } from '@gw/outbound';
import { isEventStream, storableHeaders, type StoredAnswer } from './stored-answer';

/** Looks at an answer while it goes by. */
export interface AnswerCheck {
  write(chunk: Buffer): void;
  /** Called once, at the end. False: the answer is not whole or tells of an error, so it is not kept. */
  isWhole(chunks: readonly Buffer[]): boolean;
}

/** Room for what all recordings hold together. */
export interface RecordingMemory {
  /** False when there is none. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export interface RecorderOptions {
  /** Bytes of the body; a longer answer is passed on and not kept, like one for which there is no memory. */
  readonly bodyBytesMax: number;
  readonly memory: RecordingMemory;
  /** Null: an answer like this is not kept. */
  readonly check: (status: number, headers: readonly string[]) => AnswerCheck | null;
  /** Called with a whole answer after its end has been sent. */
  readonly onWhole: (answer: StoredAnswer) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Success with a body of its own: what was only accepted (202) or is a part (206) is no answer to the next caller. */
export const isStorableStatus = (status: number): boolean =>
  status >= 200 && status < 300 && status !== 202 && status !== 206;

/**
 * Passes an answer on, untouched and at once, and keeps it on the side until its end. Only what ended well is handed to
 * `onWhole`: an answer that was cut, cancelled or too long is forgotten. Holds at most `bodyBytesMax`.
 */
export class AnswerRecorder implements OutboundHandler {
  private status = 0;
  private headers: readonly string[] = [];
  private check: AnswerCheck | null = null;
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

  private keep(chunk: Buffer, check: AnswerCheck): void {
    if (this.bytes + chunk.length > this.options.bodyBytesMax || !this.options.memory.take(chunk.length)) {
      this.forget();
      return;
    }
    this.bytes += chunk.length;
    this.chunks.push(chunk);
    check.write(chunk);
  }

  private forget(): void {
    this.check = null;
    this.chunks = [];
    this.options.memory.give(this.bytes);
    this.bytes = 0;
  }
}
