import { UPSTREAM_BOUNDS } from '../limits';
import type { UpstreamMessage } from '../rpc/messages';
import { tooLarge, type UpstreamError } from '../upstream-error';

/** Messages of one call on a stream that it shares with others. Holds at most two messages of full size. */
export class MessageQueue implements AsyncIterable<UpstreamMessage> {
  private readonly messages: UpstreamMessage[] = [];
  private bytes = 0;
  private error: UpstreamError | null = null;
  private wake: (() => void) | null = null;

  constructor(private readonly signal: AbortSignal) {}

  /** A reader that is too slow loses its call, and not the calls of others. */
  push(message: UpstreamMessage): void {
    this.bytes += message.bytes;
    if (this.bytes > BYTES_MAX || this.messages.length >= MESSAGES_MAX) {
      this.fail(tooLarge('The queue of messages', BYTES_MAX));
      return;
    }
    this.messages.push(message);
    this.wake?.();
  }

  fail(error: UpstreamError): void {
    this.error ??= error;
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<UpstreamMessage, void> {
    const onAbort = (): void => this.fail(this.signal.reason as UpstreamError);
    if (this.signal.aborted) onAbort();
    this.signal.addEventListener('abort', onAbort, { once: true });
    try {
      for (;;) {
        const message = this.messages.shift();
        if (message !== undefined) {
          this.bytes -= message.bytes;
          yield message;
        } else if (this.error !== null) throw this.error;
        else await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      this.signal.removeEventListener('abort', onAbort);
    }
  }
}

const BYTES_MAX = 2 * UPSTREAM_BOUNDS.messageBytesMax;
const MESSAGES_MAX = 1_000;
