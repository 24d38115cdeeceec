import { createServer, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { listen, type Loopback } from './loopback';

export interface ProxyServer extends Loopback {
  /** Request lines, each with its `proxy-authorization`. */
  readonly seen: { line: string; authorization: string | undefined }[];
}

/**
 * A forward proxy that connects every name to the loopback server at `port()`. It responds to
 * CONNECT with `status`, and opens the tunnel if that is 2xx.
 */
export async function proxyServer(port: () => number, status = 200): Promise<ProxyServer> {
  const seen: ProxyServer['seen'] = [];
  const server = createServer((req, res) => {
    seen.push({
      line: `${String(req.method)} ${String(req.url)}`,
      authorization: req.headers['proxy-authorization'],
    });
    const { pathname } = new URL(String(req.url));
    const headers = { ...req.headers, connection: 'close' };
    const onward = httpRequest({
      port: port(),
      host: '127.0.0.1',
      path: pathname,
      method: req.method,
      headers,
    });
    req.pipe(onward);
    onward.on('response', (response) => {
      const passed = Object.entries(response.headers).filter(([name]) => name !== 'connection');
      res.writeHead(response.statusCode ?? 0, Object.fromEntries(passed));
      response.pipe(res);
    });
  });
  server.on('connect', (req, client) => {
    seen.push({ line: `CONNECT ${String(req.url)}`, authorization: req.headers['proxy-authorization'] });
    if (status >= 300) {
      client.end(`HTTP/1.1 ${String(status)} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const onward = connect(port(), '127.0.0.1', () => {
      client.write(`HTTP/1.1 ${String(status)} Connection established\r\n\r\n`);
      onward.pipe(client);
      client.pipe(onward);
    });
    onward.on('error', () => client.destroy());
    // Keep reading, otherwise the end of the client's stream is never detected.
    onward.on('close', () => client.end().resume());
    client.on('error', () => onward.destroy());
    client.on('close', () => onward.destroy());
  });
  return { ...(await listen(server)), seen };
}
