'use strict';

/**
 * An MCP server of 2026-07-28 that costs next to nothing: canned HTTP/1.1 over raw sockets, with the id of each request put in. It
 * knows server/discover and calls of any tool.
 */
const { createServer } = require('node:net');
const { DISCOVERED, RESULT } = require('../lib/mcp-traffic.cjs');

const HEAD_END = Buffer.from('\r\n\r\n');
const DISCOVER = Buffer.from('"method":"server/discover"');
const ID = /"id":("[^"]*"|\d+)/;

function answer(socket, request) {
  const id = ID.exec(request.latin1Slice(0))?.[1] ?? 'null';
  const result = request.includes(DISCOVER) ? DISCOVERED : RESULT;
  const body = `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
  const length = Buffer.byteLength(body);
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
  );
}

/** Bytes of the first whole request in `bytes`, or 0. Requests without a length have no body. */
function requestLength(bytes) {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return 0;
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.latin1Slice(0, end));
  const total = end + 4 + Number(length?.[1] ?? 0);
  return bytes.length >= total ? total : 0;
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
