import type { Socket } from 'node:net';
import { atTurnEnd, type Share } from '@gw/kernel';
import { ResponseParser } from './response-parser';
import type { Call } from './call';
import type { ConnectionPool } from './connection-pool';
import { Upload } from './upload';
import { OutboundError } from './types';

/** Up to this size, copying a body after its head costs less than writing two buffers. */
const COPIED_BYTES_MAX = 16 * 1024;
/**
 * Milliseconds. A connection that was idle for longer is checked again for its end before it
 * carries a call.
 */
const CHECKED_AFTER_MS = 100;

/**
 * Approximate bytes that one connection reads in one turn of the event loop. Handling a byte may
 * take a microsecond, and the system delivers up to two megabytes in a row.
 */
const TURN_BYTES = 64 * 1024;

/** One socket with at most one call at a time, opened for its first call. */
export class Connection {
  /** Parses the response to the current call. */
  readonly parser = new ResponseParser();
  /** The current call; null while idle. */
  call: Call | null = null;
  /** Number of calls that were started on this connection. */
  uses = 0;
  /** When an idle connection must be closed, by `performance.now()`. */
  idleUntil = Infinity;
  /** The share that the current call uses; null while idle. */
  share: Share | null = null;
  private socket: Socket | null = null;
  private opening: AbortController | null = null;
  private upload: Upload | null = null;
  /** Whether the current call has not been sent yet. */
  private isDeferred = false;
  private idleSince = 0;
  /**
   * False if the connection was idle for so long that the peer may have closed it. The event loop
   * reports that before the request is sent.
   */
  private isChecked = true;
  private isReadingStopped = false;
  /** Whether reading continues in the next turn of the event loop. */
  private isResting = false;
  /** Bytes that were read since the last rest. */
  private sinceRest = 0;
  private isUnreferenced = false;
  private isDestroyed = false;
  /** Whether the peer has closed the connection, or has sent bytes before a request. */
  private isUnusable = false;

  constructor(readonly pool: ConnectionPool) {}

  start(call: Call): void {
    this.call = call;
    this.uses += 1;
    if (this.socket) {
      this.isDeferred = true;
      sendAtTurnEnd(this);
    } else this.open();
  }

  /** @internal Sends the deferred request, unless the call has ended or moved. */
  sendNow(): void {
    if (!this.isChecked) {
      this.isChecked = true;
      sendAtTurnEnd(this);
      return;
    }
    this.isDeferred = false;
    if (this.call && this.socket && !this.isDestroyed) this.send(this.call, this.socket);
  }

  /** Returns whether the connection can carry another call at `now`. */
  isFit(now: number): boolean {
    const { socket } = this;
    this.isChecked = now - this.idleSince < CHECKED_AFTER_MS;
    return (
      !this.isUnusable &&
      now < this.idleUntil &&
      socket !== null &&
      !socket.destroyed &&
      !socket.readableEnded
    );
  }

  /**
   * Ends the current call, whose response is complete. Returns whether the connection can carry
   * another one.
   */
  finish(now: number): boolean {
    const { parser, socket, upload } = this;
    this.call = null;
    this.upload = null;
    upload?.stop();
    const isSent = upload?.isDone !== false && socket?.writableLength === 0;
    if (!isSent || !parser.leavesConnectionFit) return false;
    this.idleSince = now;
    this.idleUntil = now + Math.min(parser.head.idleMs, this.pool.limits.keepAliveTimeoutMs);
    this.resumeReading();
    return this.isFit(now);
  }

  pauseReading(): void {
    if (this.isReadingStopped) return;
    this.isReadingStopped = true;
    this.socket?.pause();
  }

  resumeReading(): void {
    if (!this.isReadingStopped) return;
    this.isReadingStopped = false;
    if (!this.isResting) this.socket?.resume();
  }

  /** @internal Continues reading after a rest, unless the call has stopped it. */
  readOn(): void {
    this.isResting = false;
    if (!this.isReadingStopped) this.socket?.resume();
  }

  /** Lets the process exit while the connection is idle. */
  unreference(): void {
    this.isUnreferenced = true;
    this.socket?.unref();
  }

  /** Closes the socket, or stops opening one. */
  destroy(): void {
    this.isDestroyed = true;
    this.call = null;
    this.upload?.stop();
    this.opening?.abort(new OutboundError('aborted', 'The connection is no longer needed.'));
    this.socket?.destroy();
  }

  private open(): void {
    const { connector, target, memory } = this.pool;
    this.opening = new AbortController();
    connector.openReading(target, memory, this.opening.signal, this.onRead).then(
      (socket) => this.onOpen(socket),
      (error: OutboundError) => this.call?.fail(error),
    );
  }

  private onOpen(socket: Socket): void {
    this.opening = null;
    this.socket = socket;
    socket
      .on('end', () => this.onEnd())
      .on('error', (error: Error) => this.onLost(error))
      .on('close', () => this.onLost(null));
    if (this.isDestroyed) socket.destroy();
    else if (this.call) this.send(this.call, socket);
  }

  private send(call: Call, socket: Socket): void {
    if (this.isUnusable) {
      call.fail(new OutboundError('interrupted', 'The provider sent bytes before a request.'));
      return;
    }
    if (this.isUnreferenced) socket.ref();
    this.isUnreferenced = false;
    this.parser.begin(call.isHead);
    call.onSend();
    const { head, body } = call;
    if (body === null || Buffer.isBuffer(body)) {
      write(socket, head, body);
    } else {
      socket.write(head, 'latin1');
      this.upload = new Upload(call.openBody(body), socket, body.length, () => call.onBodyBroken());
    }
  }

  /** Parses everything that has arrived before any handler runs. */
  private readonly onRead = (length: number, bytes: Buffer): void => {
    const { call } = this;
    if (call !== null && this.opening === null && !this.isDeferred) {
      this.parser.read(bytes, length);
      this.sinceRest += length;
      if (this.sinceRest >= TURN_BYTES) this.rest();
      call.onResponse(this);
    } else if (this.opening !== null) {
      this.isUnusable = true;
    } else {
      this.onLost(null);
    }
  };

  /** Stops reading until the next turn of the event loop, so that other connections are served. */
  private rest(): void {
    this.sinceRest = 0;
    if (this.isResting) return;
    this.isResting = true;
    this.socket?.pause();
    readOnInNextTurn(this);
  }

  private onEnd(): void {
    this.parser.finish();
    // Until its call is sent, the parser still has the previous response.
    if (this.call && !this.isDeferred && this.parser.isDone && !this.isUnusable) {
      this.isUnusable = true;
      this.call.onResponse(this);
    } else {
      this.onLost(null);
    }
  }

  /** Handles the loss of the connection once. No call follows on it. */
  private onLost(error: Error | null): void {
    if (this.isUnusable) return;
    this.isUnusable = true;
    const { call } = this;
    if (call === null) this.pool.drop(this);
    else if (this.isDeferred) call.moveFrom(this);
    // A complete response that waits for a paused receiver no longer needs the connection.
    else if (!this.parser.isDone) call.onConnectionLost(this, error);
  }
}

/**
 * Batches the requests of a turn, so that a provider, or the kernel for it, wakes up once for all
 * of them.
 */
const sendAtTurnEnd = atTurnEnd((connection: Connection) => connection.sendNow());

const readOnInNextTurn = atTurnEnd((connection: Connection) => connection.readOn());

function write(socket: Socket, head: string, body: Buffer | null): void {
  if (body === null || body.length === 0) {
    socket.write(head, 'latin1');
  } else if (head.length + body.length <= COPIED_BYTES_MAX) {
    const bytes = Buffer.allocUnsafe(head.length + body.length);
    bytes.write(head, 0, head.length, 'latin1');
    bytes.set(body, head.length);
    socket.write(bytes);
  } else {
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
  }
}
