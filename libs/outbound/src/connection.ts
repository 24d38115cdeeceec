import type { Socket } from 'node:net';
import { atTurnEnd, type Share } from '@gw/kernel';
import { AnswerParser } from './answer-parser';
import type { Call } from './call';
import type { ConnectionPool } from './connection-pool';
import { Upload } from './upload';
import { OutboundError } from './types';

/** Up to here copying a body behind its head costs less than handing over two pieces. */
const COPIED_BYTES_MAX = 16 * 1024;
/** A connection that was idle for longer than this is checked for its end once more before it carries a call, milliseconds. */
const CHECKED_AFTER_MS = 100;

/**
 * Bytes that one connection reads in one turn of the event loop, about: what handles them may take a microsecond for each, and the
 * system hands over two megabytes in a row where it has them.
 */
const TURN_BYTES = 64 * 1024;

/** One socket with at most one call on it at a time, opened for its first call. */
export class Connection {
  /** Reads the answer to the present call. */
  readonly parser = new AnswerParser();
  /** The call on it; null while it is idle. */
  call: Call | null = null;
  /** Calls begun on it. */
  uses = 0;
  /** When an idle one is to be closed, by `performance.now()`. */
  idleUntil = Infinity;
  /** What the call on it counts against; null while it is idle. */
  share: Share | null = null;
  private socket: Socket | null = null;
  private opening: AbortController | null = null;
  private upload: Upload | null = null;
  /** The call on it has not been sent yet. */
  private isPutOff = false;
  private idleSince = 0;
  /** It was idle for so long that the peer may have closed it: the event loop reports that before anything is sent. */
  private isChecked = true;
  private isReadingStopped = false;
  /** Reads again in the next turn of the event loop. */
  private isResting = false;
  /** Bytes that were read since it rested. */
  private sinceRest = 0;
  private isUnreferenced = false;
  private isDestroyed = false;
  /** The peer has closed it, or has sent bytes before a request. */
  private isSpoilt = false;

  constructor(readonly pool: ConnectionPool) {}

  start(call: Call): void {
    this.call = call;
    this.uses += 1;
    if (this.socket) {
      this.isPutOff = true;
      sendAtTurnEnd(this);
    } else this.open();
  }

  /** @internal Sends what was put off, unless the call has ended or moved on meanwhile. */
  sendNow(): void {
    if (!this.isChecked) {
      this.isChecked = true;
      sendAtTurnEnd(this);
      return;
    }
    this.isPutOff = false;
    if (this.call && this.socket && !this.isDestroyed) this.send(this.call, this.socket);
  }

  /** May carry another call at `now`. */
  isFit(now: number): boolean {
    const { socket } = this;
    this.isChecked = now - this.idleSince < CHECKED_AFTER_MS;
    return (
      !this.isSpoilt && now < this.idleUntil && socket !== null && !socket.destroyed && !socket.readableEnded
    );
  }

  /** The call on it has its whole answer. Returns whether another may follow; else it is of no more use. */
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

  /** @internal Reads on after a rest, unless its call has stopped it meanwhile. */
  readOn(): void {
    this.isResting = false;
    if (!this.isReadingStopped) this.socket?.resume();
  }

  /** Lets the process end while it is idle. */
  unreference(): void {
    this.isUnreferenced = true;
    this.socket?.unref();
  }

  /** Closes the socket, or gives up opening one. */
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
    if (this.isSpoilt) {
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

  /** Takes in what has arrived, all of it before any handler runs. */
  private readonly onRead = (length: number, bytes: Buffer): void => {
    const { call } = this;
    if (call !== null && this.opening === null && !this.isPutOff) {
      this.parser.read(bytes, length);
      this.sinceRest += length;
      if (this.sinceRest >= TURN_BYTES) this.rest();
      call.onAnswer(this);
    } else if (this.opening !== null) {
      this.isSpoilt = true;
    } else {
      this.onLost(null);
    }
  };

  /** Others have their turn before it reads on. */
  private rest(): void {
    this.sinceRest = 0;
    if (this.isResting) return;
    this.isResting = true;
    this.socket?.pause();
    readOnInNextTurn(this);
  }

  private onEnd(): void {
    this.parser.finish();
    // Until its call is sent, the parser still holds the answer before.
    if (this.call && !this.isPutOff && this.parser.isDone && !this.isSpoilt) {
      this.isSpoilt = true;
      this.call.onAnswer(this);
    } else {
      this.onLost(null);
    }
  }

  /** Once for each connection, and whatever the call on it then does, none follows. */
  private onLost(error: Error | null): void {
    if (this.isSpoilt) return;
    this.isSpoilt = true;
    const { call } = this;
    if (call === null) this.pool.drop(this);
    else if (this.isPutOff) call.moveFrom(this);
    // An answer that is complete and only waits for its receiver needs the connection no more.
    else if (!this.parser.isDone) call.onConnectionLost(this, error);
  }
}

/** A provider, or the kernel on its behalf, is woken once for all calls of a turn. */
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
