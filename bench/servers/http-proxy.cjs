'use strict';

/** A simple proxy in Node.js: `node:http` on both sides, an agent with keep-alive, and pipes. */
const { Agent, createServer, request } = require('node:http');
const { serveParent } = require('../lib/child-script.cjs');

const [port] = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true });

const server = createServer((req, res) => {
  const headers = { ...req.headers };
  delete headers.host;
  const out = request(
    { host: '127.0.0.1', port, path: req.url, method: req.method, headers, agent },
    (response) => {
      res.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(res);
    },
  );
  out.on('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
  res.on('close', () => out.destroy());
  req.pipe(out);
});
serveParent(server);
