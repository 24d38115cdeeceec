import type { Buffer } from 'node:buffer';
import { IncomingMessage } from 'node:http';

/** Takes a body as the parser reads it. */
export interface BodyTaker {
  piece(chunk: Buffer): void;
  end(): void;
}

/**
 * A request whose body can be had without the machinery of streams, which costs more than authentication and routing together:
 * `push` is what the HTTP parser calls, and a taker stands in front of it. Without one it is a stream like any other.
 */
export class GatewayRequest extends IncomingMessage {
  private taker: BodyTaker | null = null;

  /** False when some of the body is in the stream already, which must be read from there. */
  takeBody(taker: BodyTaker): boolean {
    if (this.complete || this.readableLength > 0 || this.readableFlowing !== null) return false;
    this.taker = taker;
    return true;
  }

  /** What still comes goes into the stream again. */
  stopTaking(): void {
    this.taker = null;
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const { taker } = this;
    if (taker === null) return super.push(chunk, encoding);
    if (chunk !== null) {
      taker.piece(chunk);
      return true;
    }
    // The message must end for the server, whoever has taken its bytes.
    const goesOn = super.push(null);
    taker.end();
    return goesOn;
  }
}
