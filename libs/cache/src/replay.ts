import { OutboundError, type OutboundCall, type OutboundHandler } from '@gw/outbound';
import type { StoredAnswer } from './stored-answer';

/**
 * Plays a stored answer to a handler the way a connection would bring it, from the next turn of the event loop on: a stream in
 * its pieces, as fast as the client takes them, and so much in one turn that others have theirs. Can be paused and aborted like a call.
 */
export const replayAnswer = (answer: StoredAnswer, handler: OutboundHandler): OutboundCall =>
  new Replay(answer, handler);

/** Played in one turn of the event loop, or one piece where that is larger: about what a socket brings. */
const TURN_BYTES = 65_536;

class Replay implements OutboundCall {
  private next = 0;
  private begun = false;
  private paused = false;
  private playing = false;
  private waiting = false;
  private over = false;

  constructor(
    private readonly answer: StoredAnswer,
    private readonly handler: OutboundHandler,
  ) {
    setImmediate(() => {
      if (this.over) return;
      this.begun = true;
      handler.onHeaders(answer.status, headersOf(answer));
      this.play();
    });
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    if (this.begun) this.play();
  }

  abort(): void {
    if (this.over) return;
    this.over = true;
    this.handler.onError(new OutboundError('aborted', 'The call was cancelled.'));
  }

  private play(): void {
    // A handler may pause and resume while it is given a piece.
    if (this.playing || this.waiting) return;
    this.playing = true;
    let left = TURN_BYTES;
    while (this.isRunning() && left > 0) {
      const chunk = this.answer.chunks[this.next];
      if (chunk === undefined) {
        this.over = true;
        this.handler.onEnd();
        break;
      }
      this.next += 1;
      left -= chunk.length;
      this.handler.onData(chunk);
    }
    this.playing = false;
    if (left <= 0 && this.isRunning()) this.playOn();
  }

  private playOn(): void {
    this.waiting = true;
    setImmediate(() => {
      this.waiting = false;
      this.play();
    });
  }

  private isRunning(): boolean {
    return !this.over && !this.paused;
  }
}

/** A whole body has a length; a stream has none. */
function headersOf({ headers, streamed, chunks }: StoredAnswer): readonly string[] {
  if (streamed) return headers;
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return [...headers, 'content-length', String(length)];
}
