'use strict';

/**
 * A provider that uses hardly any CPU: canned HTTP/1.1 over raw sockets, a whole response or a stream as the request wants it. The
 * first argument is the delay of a whole response in milliseconds (default 0).
 */
const { serve } = require('../lib/canned-server.cjs');
const { RESPONSE, EVENT_EVERY_MS, STREAM } = require('../lib/traffic.cjs');

const WHOLE = Buffer.concat([
  Buffer.from(
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_bench0001\r\nopenai-processing-ms: 12\r\n' +
      `x-ratelimit-remaining-requests: 9999\r\ncontent-length: ${RESPONSE.length}\r\n\r\n`,
  ),
  RESPONSE,
]);
// nginx passes a stream on at once with this header.
const STREAM_HEAD = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\nx-accel-buffering: no\r\n' +
    'x-request-id: req_bench0002\r\ntransfer-encoding: chunked\r\n\r\n',
);
/** @param {Buffer} piece */
const chunked = (piece) =>
  Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
const PIECES = STREAM.map(chunked);
const LAST = Buffer.from('0\r\n\r\n');
const DELAY_MS = Number(process.argv[2] ?? '0');
const STREAM_WANTED = Buffer.from('"stream":true');

/** The timers of the streams of each open connection. @type {WeakMap<import('node:net').Socket, Set<NodeJS.Timeout>>} */
const timers = new WeakMap();

/**
 * @param {import('node:net').Socket} socket
 * @param {Buffer} request
 */
function respond(socket, request) {
  if (!request.includes(STREAM_WANTED)) {
    if (DELAY_MS === 0) socket.write(WHOLE);
    else setTimeout(() => socket.write(WHOLE), DELAY_MS);
    return;
  }
  let at = 0;
  const step = () => {
    const last = at === PIECES.length - 1;
    socket.cork();
    if (at === 0) socket.write(STREAM_HEAD);
    socket.write(/** @type {Buffer} */ (PIECES[at]));
    if (last) socket.write(LAST);
    socket.uncork();
    at += 1;
    if (last) clearInterval(timer);
  };
  const timer = setInterval(step, EVENT_EVERY_MS);
  timers.get(socket)?.add(timer);
  step();
}

serve(respond, (socket) => {
  /** @type {Set<NodeJS.Timeout>} */
  const ofSocket = new Set();
  timers.set(socket, ofSocket);
  socket.on('close', () => ofSocket.forEach((timer) => clearInterval(timer)));
});
