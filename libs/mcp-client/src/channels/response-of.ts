import { UPSTREAM_BOUNDS } from '../limits';
import type { UpstreamMessage } from '../rpc/messages';
import { tooLarge, UpstreamError } from '../upstream-error';

/** Receives the messages of a call that arrive before its response. */
export type OnMessage = (message: UpstreamMessage) => void;

/**
 * Collects the messages of a call until its response. Drops responses to other requests, except an
 * error without an id. Bounds the number of messages and bytes of the call.
 */
export class CallMessages {
  private messages: number = UPSTREAM_BOUNDS.callMessagesMax;
  private bytes: number = UPSTREAM_BOUNDS.callBytesMax;
  /** The response; null before it arrives. */
  response: UpstreamMessage | null = null;

  constructor(
    private readonly id: number,
    private readonly onMessage: OnMessage,
  ) {}

  /**
   * Returns whether the message is the response. Throws `too_large` when the call exceeds its
   * bounds.
   */
  readonly take = (received: UpstreamMessage): boolean => {
    this.spend(received.data.length);
    const { message } = received;
    if (message.kind !== 'response') this.onMessage(received);
    else if (message.id === this.id || message.id === null) this.response = received;
    return this.response !== null;
  };

  private spend(bytes: number): void {
    this.messages -= 1;
    this.bytes -= bytes;
    if (this.bytes < 0) throw tooLarge('All messages of the call', UPSTREAM_BOUNDS.callBytesMax);
    if (this.messages < 0)
      throw new UpstreamError('too_large', 'The upstream sent too many messages for one call.', {
        mayHaveExecuted: true,
      });
  }
}

/** Returns the error of a stream that ended before the response to its request. */
export const endedEarly = (): UpstreamError =>
  new UpstreamError('interrupted', 'The upstream ended the stream before its response.', {
    mayHaveExecuted: true,
  });
