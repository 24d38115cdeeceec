'use strict';

/** A tool call of 2 KB and its result of 1 KB, as large as the requests to models and their responses in `traffic.cjs`. */

const { fill } = require('./dialect-traffic.cjs');

const REVISION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
};
const TOOL = 'search';

const RESULT = JSON.stringify({ resultType: 'complete', content: [{ type: 'text', text: fill(950) }] });
const DISCOVERED = JSON.stringify({
  resultType: 'complete',
  supportedVersions: [REVISION],
  capabilities: { tools: {} },
  ttlMs: 60_000,
  cacheScope: 'private',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'bench', version: '1.0.0' } },
});

const CALL = Buffer.from(
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: TOOL, arguments: { query: fill(1_650), limit: 10 }, _meta: META },
  }),
);
const HEADERS = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': REVISION,
  'mcp-method': 'tools/call',
  'mcp-name': TOOL,
};
const INITIALIZE = Buffer.from(
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1.0.0' },
    },
  }),
);

/**
 * The bytes of one request.
 * @param {Pick<import('./measure.cjs').Contestant, 'path' | 'headers' | 'port'>} request
 * @param {Buffer} body
 */
function bytesOf({ path, headers, port }, body) {
  const lines = [`POST ${path} HTTP/1.1`, `host: 127.0.0.1:${port}`];
  for (const [name, value] of Object.entries({ ...HEADERS, ...headers })) lines.push(`${name}: ${value}`);
  return Buffer.concat([
    Buffer.from([...lines, `content-length: ${body.length}`, '', ''].join('\r\n')),
    body,
  ]);
}

module.exports = { CALL, DISCOVERED, HEADERS, INITIALIZE, RESULT, TOOL, bytesOf };
