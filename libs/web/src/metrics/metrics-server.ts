import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hasSeveralHosts } from '../http/host-header';

export interface MetricsServer {
  readonly port: number;
  close(): void;
}

const REQUEST_MS = 10_000;
const CONNECTIONS_MAX = 32;

/**
 * Serves `GET /metrics` on a separate port, which clients of the product do not need. Rejects if
 * the port is in use.
 */
export async function startMetricsServer(
  { host, port }: { readonly host: string; readonly port: number },
  render: () => Promise<string>,
): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (req, res) => {
    if (hasSeveralHosts(req.rawHeaders)) {
      res.writeHead(400).end();
      return;
    }
    if (req.url?.split('?', 1)[0] !== '/metrics') {
      res.writeHead(404).end();
      return;
    }
    if (req.method !== 'GET') {
      res.writeHead(405, { allow: 'GET' }).end();
      return;
    }
    render().then(
      (text) => res.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      () => res.writeHead(500).end(),
    );
  });
  server.maxConnections = CONNECTIONS_MAX;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // Processes of one cluster would otherwise share the port, and a scrape would reach any of
    // them.
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // The server does not keep the process alive.
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
