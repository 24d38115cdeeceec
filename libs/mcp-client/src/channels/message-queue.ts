import type { CallClock } from '../http/call-clock';
import { UPSTREAM_BOUNDS } from '../limits';
import type { UpstreamMessage } from '../rpc/messages';
import { noMemory, tooLarge, type UpstreamError } from '../upstream-error';

/**
 * Queue for the messages of one call on a shared stream. Holds at most two messages of the maximum
 * size.
 */
export class MessageQueue implements AsyncIterable<UpstreamMessage> {
  private readonly messages: UpstreamMessage[] = [];
  private bytes = 0;
  private error: UpstreamError | null = null;
  private isEnded = false;
  private wake: (() => void) | null = null;

  constructor(private readonly clock: CallClock) {}

  /**
   * Adds a message. A full queue fails the call of its reader, but no other calls. Messages after a
   * failure are dropped.
   */
  push(message: UpstreamMessage): void {
    if (this.error !== null) return;
    this.bytes += message.data.length;
    if (this.bytes > BYTES_MAX || this.messages.length >= MESSAGES_MAX) {
      this.fail(tooLarge('The queue of messages', BYTES_MAX));
      return;
    }
    if (this.clock.memory?.take(message.data.length) === false) {
      this.fail(noMemory());
      return;
    }
    this.messages.push(message);
    this.wake?.();
  }

  /** Ends the queue after the last message. */
  end(last: UpstreamMessage): void {
    this.push(last);
    this.isEnded = true;
    this.wake?.();
  }

  fail(error: UpstreamError): void {
    this.error ??= error;
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<UpstreamMessage, void> {
    const { clock } = this;
    const onAbort = (): void => {
      if (clock.aborted !== null) this.fail(clock.aborted);
    };
    clock.onAbort(onAbort);
    try {
      for (;;) {
        const message = this.messages.shift();
        if (message !== undefined) {
          this.bytes -= message.data.length;
          this.clock.memory?.give(message.data.length);
          yield message;
        } else if (this.error !== null) throw this.error;
        else if (this.isEnded) return;
        else await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      clock.offAbort(onAbort);
    }
  }
}

const BYTES_MAX = 2 * UPSTREAM_BOUNDS.messageBytesMax;
const MESSAGES_MAX = 1_000;
