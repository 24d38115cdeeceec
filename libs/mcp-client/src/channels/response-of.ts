import { UPSTREAM_BOUNDS } from '../limits';
import type { UpstreamMessage } from '../rpc/messages';
import { tooLarge, UpstreamError } from '../upstream-error';

/**
 * Passes the messages of a call on until its response, which is the last one. Responses to other
 * requests are dropped, except an error without an id. Bounds the messages and bytes of the call.
 * Returns whether the response came.
 */
export async function* untilResponse(
  messages: AsyncIterable<UpstreamMessage>,
  id: number,
  budget: CallBudget,
): AsyncGenerator<UpstreamMessage, boolean> {
  for await (const each of messages) {
    budget.spend(each.bytes);
    const { message } = each;
    if (message.kind !== 'response') yield each;
    else if (message.id === id || message.id === null) {
      yield each;
      return true;
    }
  }
  return false;
}

/** Messages and bytes that one call may still receive. */
export class CallBudget {
  private messages: number = UPSTREAM_BOUNDS.callMessagesMax;
  private bytes: number = UPSTREAM_BOUNDS.callBytesMax;

  /** Throws `too_large` when the call has used it up. */
  spend(bytes: number): void {
    this.messages -= 1;
    this.bytes -= bytes;
    if (this.bytes < 0) throw tooLarge('All messages of the call', UPSTREAM_BOUNDS.callBytesMax);
    if (this.messages < 0)
      throw new UpstreamError('too_large', 'The upstream sent too many messages for one call.', {
        mayHaveExecuted: true,
      });
  }
}

/** The error of a stream that ended before the response to its request. */
export const endedEarly = (): UpstreamError =>
  new UpstreamError('interrupted', 'The upstream ended the stream before its response.', {
    mayHaveExecuted: true,
  });
