import { isEventStream, storableHeaders, type FirstCall, type RecordingMemory } from '@gw/cache';
import type { LogRecord } from '@gw/contracts';
import { isFinalStatus } from '@gw/kernel';

/**
 * Records the response that the client receives under its `Idempotency-Key`, until the request is
 * settled.
 */
export class FirstResponse {
  private headers: readonly string[] = [];
  private chunks: Buffer[] = [];
  private bytes = 0;
  private tooLarge = false;

  constructor(
    private readonly call: FirstCall,
    private readonly memory: RecordingMemory,
    private readonly bytesMax: number,
  ) {}

  /** Header names are in lower case. */
  begin(headers: readonly string[]): void {
    this.headers = storableHeaders(headers);
  }

  write(chunk: Buffer): void {
    if (this.tooLarge) return;
    this.tooLarge = this.bytes + chunk.length > this.bytesMax || !this.memory.take(chunk.length);
    if (this.tooLarge) {
      this.forget();
      return;
    }
    this.bytes += chunk.length;
    this.chunks.push(chunk);
  }

  /**
   * Stores or releases the key, depending on the outcome. If the response was incomplete or did not
   * come from a provider, the request may be sent again.
   */
  settle(outcome: LogRecord['outcome'], status: number): void {
    const isWhole = outcome === 'ok' || outcome === 'provider_error';
    if (!isWhole || !isFinalStatus(status)) void this.call.release();
    else if (this.tooLarge) void this.call.complete(null);
    else {
      const { headers, chunks } = this;
      const streamed = isEventStream(headers);
      void this.call.complete({ status, headers, chunks, streamed, createdAtMs: Date.now() });
    }
    this.forget();
  }

  private forget(): void {
    this.chunks = [];
    this.memory.give(this.bytes);
    this.bytes = 0;
  }
}
