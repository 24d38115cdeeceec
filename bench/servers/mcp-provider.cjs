'use strict';

/**
 * An MCP server of revision 2026-07-28 that uses hardly any CPU: canned HTTP/1.1 over raw sockets, with the id of each request
 * inserted. It supports server/discover and calls of any tool.
 */
const { serve } = require('../lib/canned-server.cjs');
const { DISCOVERED, RESULT } = require('../lib/mcp-traffic.cjs');

const DISCOVER = Buffer.from('"method":"server/discover"');
const ID = /"id":("[^"]*"|\d+)/;

/**
 * @param {import('node:net').Socket} socket
 * @param {Buffer} request
 */
function respond(socket, request) {
  const id = ID.exec(request.latin1Slice(0))?.[1] ?? 'null';
  const result = request.includes(DISCOVER) ? DISCOVERED : RESULT;
  const body = `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
  const length = Buffer.byteLength(body);
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
  );
}

serve(respond);
