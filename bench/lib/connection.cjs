'use strict';

const { connect } = require('node:net');

const HEAD_END = Buffer.from('\r\n\r\n');

/** One connection that carries one request at a time. */
class Connection {
  /** The head of a response as far as it has arrived. @type {Buffer | null} */
  rest = null;
  /** Whether the head is complete. */
  inBody = false;
  /** Bytes of the body that are missing; -1 when it is chunked. */
  left = -1;
  /** Bytes of the chunk that are missing, its line end included. */
  chunkLeft = 0;
  /** The line of a chunk's size as far as it has arrived. */
  line = '';
  /** Whether the last chunk has arrived. */
  atEnd = false;
  closed = false;
  idle = true;
  /** @type {(piece: Buffer) => void} */
  onBody = () => undefined;
  /** @type {(connection: Connection) => void} */
  done = () => undefined;

  /**
   * @param {number} port
   * @param {(reason: string) => void} fail
   */
  constructor(port, fail) {
    this.fail = fail;
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (chunk) => this.read(chunk));
    this.socket.on('error', (error) => this.over(error.message));
    this.socket.on('close', () => this.over('the connection was closed'));
  }

  /** @param {string} reason */
  over(reason) {
    if (!this.closed && !this.idle) this.fail(`a request got no whole response: ${reason}`);
    this.closed = true;
  }

  /**
   * Sends a request. `onBody` gets the pieces of the body, `done` is called once the body is complete.
   * @param {Buffer} bytes
   * @param {(piece: Buffer) => void} onBody
   * @param {(connection: Connection) => void} done
   */
  send(bytes, onBody, done) {
    this.idle = false;
    this.inBody = false;
    this.onBody = onBody;
    this.done = done;
    this.socket.write(bytes);
  }

  /** @param {Buffer} chunk */
  read(chunk) {
    let bytes = chunk;
    if (!this.inBody) {
      if (this.rest) bytes = Buffer.concat([this.rest, chunk]);
      const end = bytes.indexOf(HEAD_END);
      if (end === -1) {
        this.rest = bytes;
        return;
      }
      this.rest = null;
      if (!this.begin(bytes.latin1Slice(0, end))) return;
      bytes = bytes.subarray(end + 4);
    }
    if (this.left >= 0) this.readSized(bytes);
    else this.readChunked(bytes);
  }

  /** @param {string} head */
  begin(head) {
    if (head.slice(9, 12) !== '200') {
      this.fail(`the status of a response was not 200: ${head.split('\r\n')[0]}`);
      return false;
    }
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    this.left = length ? Number(length[1]) : -1;
    this.chunkLeft = 0;
    this.line = '';
    this.inBody = true;
    return true;
  }

  /** @param {Buffer} bytes */
  readSized(bytes) {
    if (bytes.length > 0) this.onBody(bytes);
    this.left -= bytes.length;
    if (this.left <= 0) this.finish();
  }

  /** @param {Buffer} bytes */
  readChunked(bytes) {
    let at = 0;
    while (at < bytes.length) {
      if (this.chunkLeft > 2) {
        const end = Math.min(bytes.length, at + this.chunkLeft - 2);
        this.onBody(bytes.subarray(at, end));
        this.chunkLeft -= end - at;
        at = end;
      } else if (this.chunkLeft > 0) {
        this.chunkLeft -= 1;
        at += 1;
      } else {
        const end = bytes.indexOf(10, at);
        this.line += bytes.latin1Slice(at, end === -1 ? bytes.length : end + 1);
        if (end === -1) return;
        at = end + 1;
        if (this.line === '\r\n' && this.atEnd) {
          this.atEnd = false;
          this.finish();
          return;
        }
        const size = parseInt(this.line, 16);
        this.line = '';
        if (size === 0) this.atEnd = true;
        else this.chunkLeft = size + 2;
      }
    }
  }

  finish() {
    this.inBody = false;
    this.idle = true;
    this.done(this);
  }
}

module.exports = { Connection };
