'use strict';

const { connect } = require('node:net');

const HEAD_END = Buffer.from('\r\n\r\n');

/** One connection that carries one request at a time. */
class Connection {
  constructor(port, fail) {
    this.fail = fail;
    this.done = null;
    this.onBody = null;
    this.idle = true;
    this.rest = null;
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (chunk) => this.read(chunk));
    this.socket.on('error', (error) => this.over(error.message));
    this.socket.on('close', () => this.over('the connection was closed'));
  }

  over(why) {
    if (!this.closed && !this.idle) this.fail(`a request got no whole answer: ${why}`);
    this.closed = true;
  }

  /** `onBody` gets the pieces of the body, `done` is called once it is whole. */
  send(bytes, onBody, done) {
    this.idle = false;
    this.inBody = false;
    this.onBody = onBody;
    this.done = done;
    this.socket.write(bytes);
  }

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

  begin(head) {
    if (head.slice(9, 12) !== '200') {
      this.fail(`an answer was not 200: ${head.split('\r\n')[0]}`);
      return false;
    }
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    this.left = length ? Number(length[1]) : -1;
    this.chunkLeft = 0;
    this.line = '';
    this.inBody = true;
    return true;
  }

  readSized(bytes) {
    if (bytes.length > 0) this.onBody(bytes);
    this.left -= bytes.length;
    if (this.left <= 0) this.finish();
  }

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
    const { done } = this;
    this.inBody = false;
    this.idle = true;
    this.done = null;
    done(this);
  }
}

module.exports = { Connection };
