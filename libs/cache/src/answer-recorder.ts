import type { OutboundError, OutboundHandler } from '@gw/outbound';
import type { Usage } from '@gw/contracts';
import { isEventStream, storableHeaders, type StoredAnswer } from './stored-answer';

export interface Measured {
  readonly usage: Usage | null;
  /** 1e-8 USD. */
  readonly cost: number | null;
  readonly model: string | null;
}

/** Reads an answer while it goes by. */
export interface AnswerMeter {
  write(chunk: Buffer): void;
  /** Called once, at the end. Null: the answer is not whole or tells of an error, so it is not kept. */
  finish(chunks: readonly Buffer[]): Measured | null;
}

export interface RecorderOptions {
  /** Bytes of the body; a longer answer is passed on and not kept. */
  readonly bodyBytesMax: number;
  readonly meter: (status: number, headers: readonly string[]) => AnswerMeter;
  /** Which statuses are kept. */
  readonly keeps: (status: number) => boolean;
  /** Told of a whole answer after everybody else has had its end. */
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
  private meter: AnswerMeter | null = null;
  private chunks: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly next: OutboundHandler,
    private readonly options: RecorderOptions,
  ) {}

  onHeaders(status: number, headers: readonly string[]): void {
    if (this.options.keeps(status)) {
      this.status = status;
      this.headers = headers;
      this.meter = this.options.meter(status, headers);
    }
    this.next.onHeaders(status, headers);
  }

  onData(chunk: Buffer): void {
    if (this.meter !== null) this.keep(chunk, this.meter);
    this.next.onData(chunk);
  }

  onEnd(): void {
    const { meter, chunks } = this;
    this.forget();
    this.next.onEnd();
    const measured = meter?.finish(chunks) ?? null;
    if (measured === null) return;
    this.options.onWhole({
      status: this.status,
      headers: storableHeaders(this.headers),
      chunks,
      streamed: isEventStream(this.headers),
      createdAtMs: (this.options.now ?? Date.now)(),
      ...measured,
    });
  }

  onError(error: OutboundError): void {
    this.forget();
    this.next.onError(error);
  }

  private keep(chunk: Buffer, meter: AnswerMeter): void {
    this.bytes += chunk.length;
    if (this.bytes > this.options.bodyBytesMax) {
      this.forget();
      return;
    }
    this.chunks.push(chunk);
    meter.write(chunk);
  }

  private forget(): void {
    this.meter = null;
    this.chunks = [];
  }
}
