import { OutboundError, type OutboundCall, type OutboundHandler } from '@gw/outbound';
import type { CachedResponse } from './cached-response';

/**
 * Replays a stored response to a handler as a connection would deliver it, from the next event-loop
 * turn on.
 * Chunks are sent as fast as the client reads, at most `TURN_BYTES` per event-loop turn so that
 * other work continues. The replay can be paused and aborted like a call.
 */
export const replayResponse = (response: CachedResponse, handler: OutboundHandler): OutboundCall =>
  new Replay(response, handler);

/**
 * Bytes sent in one event-loop turn, about what a socket delivers; a larger chunk is sent alone.
 */
const TURN_BYTES = 65_536;

class Replay implements OutboundCall {
  private next = 0;
  private started = false;
  private paused = false;
  private playing = false;
  private waiting = false;
  private over = false;

  constructor(
    private readonly response: CachedResponse,
    private readonly handler: OutboundHandler,
  ) {
    setImmediate(() => {
      if (this.over) return;
      this.started = true;
      handler.onHeaders(response.status, headersOf(response));
      this.play();
    });
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    if (this.started) this.play();
  }

  abort(): void {
    if (this.over) return;
    this.over = true;
    this.handler.onError(new OutboundError('aborted', 'The call was cancelled.'));
  }

  private play(): void {
    // A handler may pause and resume while it receives a chunk.
    if (this.playing || this.waiting) return;
    this.playing = true;
    let left = TURN_BYTES;
    while (this.isRunning() && left > 0) {
      const chunk = this.response.chunks[this.next];
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
    if (left <= 0 && this.isRunning()) this.playNextTurn();
  }

  private playNextTurn(): void {
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

/** Returns the stored headers, with a content-length unless the body is a stream. */
function headersOf({ headers, streamed, chunks }: CachedResponse): readonly string[] {
  if (streamed) return headers;
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return [...headers, 'content-length', String(length)];
}
