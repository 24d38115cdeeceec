'use strict';

/**
 * A provider of two dialects that costs next to nothing: canned HTTP/1.1 over raw sockets. The path chooses between chat completions
 * and the Messages API, the body between a whole answer and a stream, which is sent at once.
 */
const { createServer } = require('node:net');
const { ANSWERS } = require('../lib/dialect-traffic.cjs');

const HEAD_END = Buffer.from('\r\n\r\n');
const STREAM_ASKED = Buffer.from('"stream":true');

function response(type, body) {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

const RESPONSES = Object.fromEntries(
  Object.entries(ANSWERS).map(([dialect, { whole, stream }]) => [
    dialect,
    {
      whole: response('application/json', whole),
      stream: response('text/event-stream; charset=utf-8', stream),
    },
  ]),
);

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

function answer(socket, request) {
  const line = request.latin1Slice(0, request.indexOf(13));
  const { whole, stream } = RESPONSES[line.includes('/messages') ? 'messages' : 'chat'];
  socket.write(request.includes(STREAM_ASKED) ? stream : whole);
}

const server = createServer({ noDelay: true }, (socket) => {
  let rest = null;
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
