import type { Socket } from 'node:net';
import { WebSocket } from 'ws';

/** Why a peer's WebSocket is about to end. */
export interface Closing {
  /** 1005: a close frame without a code. */
  readonly code: number;
  /** At most 123 bytes. */
  readonly reason: Buffer;
  /** True: the peer broke the protocol and `code` is our verdict. False: the peer has sent a close frame with `code`. */
  readonly isFault: boolean;
}

/** How long a peer may take to answer a close frame before its connection is cut. */
export const CLOSE_TIMEOUT_MS = 5_000;

/** What both sides of a session have in common. No extension is negotiated, so that no frame is ever inflated. */
export const peerOptions = (maxMessageBytes: number) =>
  ({
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    // A ping is answered by the other side of the session, so that it measures the whole way.
    autoPong: false,
    closeTimeout: CLOSE_TIMEOUT_MS,
  }) as const;

const NOTHING = Buffer.alloc(0);
const NO_CODE = 1005;

/**
 * One side of a session. `ws` answers a close frame or an invalid frame at once, by calling its own `close`; a session must
 * write its record first, so that the call is handed to it and the answer waits until `shut`.
 */
export class Peer extends WebSocket {
  /** The connection below, for its back-pressure. Set once the WebSocket is open. */
  transport!: Socket;
  private listener: ((closing: Closing) => void) | null = null;

  whenClosing(listener: (closing: Closing) => void): void {
    this.listener = listener;
  }

  /** For `ws` itself: `reason` is only given with a received close frame. */
  override close(code?: number, reason?: string | Buffer): void {
    const { listener } = this;
    if (listener === null) {
      super.close(code, reason);
      return;
    }
    const isFault = code !== undefined && reason === undefined;
    listener({ code: code ?? NO_CODE, reason: Buffer.from(reason ?? NOTHING), isFault });
  }

  /** Sends the close frame and lets the connection end. The listener is not called any more. */
  shut(code: number, reason: string | Buffer): void {
    this.listener = null;
    // A paused side would not see the answer.
    this.resume();
    if (code === NO_CODE) super.close();
    else super.close(code, reason);
  }
}
