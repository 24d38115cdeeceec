'use strict';

/**
 * A server that costs next to nothing: HTTP/1.1 over raw sockets, for processes of a benchmark. It understands what proxies send
 * (content-length and chunked bodies) and no more.
 */
const { createServer } = require('node:net');

const HEAD_END = Buffer.from('\r\n\r\n');

/** Bytes of the first whole request in `bytes`, or 0. */
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
 * Listens on a free port of loopback, sends it to the parent process, and ends with it. `answer(socket, request)` gets every whole
 * request, `opened(socket)` every connection.
 */
function serve(answer, opened = () => undefined) {
  const server = createServer({ noDelay: true }, (socket) => {
    let rest = null;
    opened(socket);
    socket.on('data', (chunk) => {
      let bytes = rest ? Buffer.concat([rest, chunk]) : chunk;
      for (let length = requestLength(bytes); length > 0; length = requestLength(bytes)) {
        answer(socket, bytes.subarray(0, length));
        bytes = bytes.subarray(length);
        if (bytes.length === 0) break;
      }
      rest = bytes.length > 0 ? bytes : null;
    });
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
  process.on('disconnect', () => process.exit());
}

module.exports = { serve };
