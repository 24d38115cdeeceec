'use strict';

/**
 * A server that uses hardly any CPU: HTTP/1.1 over raw sockets, for processes of a benchmark. It understands what proxies send
 * (bodies with content-length and chunked ones) and no more.
 */
const { createServer } = require('node:net');
const { serveParent } = require('./child-script.cjs');

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Bytes of the first whole request in `bytes`, or 0.
 * @param {Buffer} bytes
 */
function requestLength(bytes) {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return 0;
  const head = bytes.latin1Slice(0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head);
  if (length) {
    const total = end + 4 + Number(length[1]);
    return bytes.length >= total ? total : 0;
  }
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return end + 4;
  const close = bytes.indexOf('\r\n0\r\n\r\n', end + 2);
  return close === -1 ? 0 : close + 7;
}

/**
 * Serves a benchmark. `respond` gets every whole request, `opened` every connection.
 * @param {(socket: import('node:net').Socket, request: Buffer) => void} respond
 * @param {(socket: import('node:net').Socket) => void} opened
 */
function serve(respond, opened = () => undefined) {
  const server = createServer({ noDelay: true }, (socket) => {
    /** @type {Buffer | null} */
    let rest = null;
    opened(socket);
    socket.on('data', (chunk) => {
      let bytes = rest ? Buffer.concat([rest, chunk]) : chunk;
      for (let length = requestLength(bytes); length > 0; length = requestLength(bytes)) {
        respond(socket, bytes.subarray(0, length));
        bytes = bytes.subarray(length);
        if (bytes.length === 0) break;
      }
      rest = bytes.length > 0 ? bytes : null;
    });
    socket.on('error', () => socket.destroy());
  });
  serveParent(server);
}

module.exports = { serve };
