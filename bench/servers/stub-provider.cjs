'use strict';

/**
 * A provider that costs next to nothing: canned HTTP/1.1 over raw sockets, whole answers or streams by what the request asks.
 * It understands what proxies send (content-length and chunked bodies) and no more. The first argument: how long it thinks about a whole
 * answer, in milliseconds; not at all when absent.
 */
const { serve } = require('../lib/canned-server.cjs');
const { ANSWER, EVENT_EVERY_MS, STREAM } = require('../lib/traffic.cjs');

const WHOLE = Buffer.concat([
  Buffer.from(
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_bench0001\r\nopenai-processing-ms: 12\r\n' +
      `x-ratelimit-remaining-requests: 9999\r\ncontent-length: ${ANSWER.length}\r\n\r\n`,
  ),
  ANSWER,
]);
// nginx passes a stream on at once with this header.
const STREAM_HEAD = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\nx-accel-buffering: no\r\n' +
    'x-request-id: req_bench0002\r\ntransfer-encoding: chunked\r\n\r\n',
);
const chunked = (piece) =>
  Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
const PIECES = STREAM.map(chunked);
const LAST = Buffer.from('0\r\n\r\n');
const THINKS_MS = Number(process.argv[2] ?? '0');
const STREAM_ASKED = Buffer.from('"stream":true');

function answer(socket, request) {
  if (!request.includes(STREAM_ASKED)) {
    if (THINKS_MS === 0) socket.write(WHOLE);
    else setTimeout(() => socket.write(WHOLE), THINKS_MS);
    return;
  }
  let at = 0;
  const step = () => {
    const last = at === PIECES.length - 1;
    socket.cork();
    if (at === 0) socket.write(STREAM_HEAD);
    socket.write(PIECES[at]);
    if (last) socket.write(LAST);
    socket.uncork();
    at += 1;
    if (last) clearInterval(timer);
  };
  const timer = setInterval(step, EVENT_EVERY_MS);
  socket.streams.add(timer);
  step();
}

serve(answer, (socket) => {
  socket.streams = new Set();
  socket.on('close', () => socket.streams.forEach(clearInterval));
});
