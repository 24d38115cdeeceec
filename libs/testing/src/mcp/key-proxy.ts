import { createServer, request, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeyProxy {
  readonly url: URL;
  close(): Promise<void>;
}

/**
 * Starts a reverse proxy that adds headers, such as an API key, for clients that send no
 * credential. It maps its path `/mcp` to the path and query of `target`, and keeps other paths.
 */
export async function startKeyProxy(target: URL, headers: OutgoingHttpHeaders): Promise<KeyProxy> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    const path = req.url === '/mcp' ? `${target.pathname}${target.search}` : req.url;
    const upstream = request(
      {
        ...{ host: target.hostname, port: target.port, path, method: req.method },
        headers: { ...req.headers, ...headers },
      },
      (response) => {
        res.writeHead(response.statusCode ?? 502, response.headers);
        res.flushHeaders();
        response.pipe(res);
      },
    );
    upstream.on('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
    res.on('close', () => upstream.destroy());
    req.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${String(port)}/mcp`),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
