'use strict';

/** The proxy that people write by hand: `node:http` on both sides, a kept-alive agent, and pipes. */
const { Agent, createServer, request } = require('node:http');

const [port] = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true });

const server = createServer((req, res) => {
  const headers = { ...req.headers };
  delete headers.host;
  const out = request(
    { host: '127.0.0.1', port, path: req.url, method: req.method, headers, agent },
    (answer) => {
      res.writeHead(answer.statusCode, answer.rawHeaders);
      answer.pipe(res);
    },
  );
  out.on('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
  res.on('close', () => out.destroy());
  req.pipe(out);
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
