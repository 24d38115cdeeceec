import type { Socket } from 'node:net';
import { WebSocket } from 'ws';

/** The reason why a peer's WebSocket is closing. */
export interface Closing {
  /** 1005: a close frame without a code. */
  readonly code: number;
  /** At most 123 bytes. */
  readonly reason: Buffer;
  /**
   * True: the peer violated the protocol, and `code` is the gateway's verdict. False: the peer sent
   * a close frame with `code`.
   */
  readonly isFault: boolean;
}

/** Milliseconds that a peer may take to respond to a close frame before its connection is cut. */
export const CLOSE_TIMEOUT_MS = 5_000;

/** Options of both sides of a session. No extension is negotiated, so no frame is ever inflated. */
export const peerOptions = (maxMessageBytes: number) =>
  ({
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    // The other side of the session responds to a ping, so that it measures the whole path.
    autoPong: false,
    closeTimeout: CLOSE_TIMEOUT_MS,
  }) as const;

const NOTHING = Buffer.alloc(0);
const NO_CODE = 1005;

/**
 * One side of a session. `ws` responds to a close frame or an invalid frame immediately, by calling
 * its own `close`. A session must write its record first, so `close` reports to a listener, and
 * `shut` sends the close frame later.
 */
export class Peer extends WebSocket {
  /** The underlying connection, for back-pressure. Set once the WebSocket is open. */
  transport!: Socket;
  private listener: ((closing: Closing) => void) | null = null;

  whenClosing(listener: (closing: Closing) => void): void {
    this.listener = listener;
  }

  /** Called by `ws` itself; it passes `reason` only after a received close frame. */
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
    // A paused side would not receive the close frame of the peer.
    this.resume();
    if (code === NO_CODE) super.close();
    else super.close(code, reason);
  }
}
