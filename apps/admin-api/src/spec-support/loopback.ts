import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const REDIRECTS_MAX = 10;

export interface Loopback {
  readonly server: Server;
  readonly origin: string;
}

/** Starts a server without a handler on a free port of loopback. */
export async function listen(): Promise<Loopback> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` };
}

export function stop({ server }: Loopback): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}

/**
 * Follows redirects with cookies as a browser would, as long as they stay at `origin`. Returns the
 * first address elsewhere.
 */
export async function browse(url: string, origin: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = url;
  for (let hop = 0; hop < REDIRECTS_MAX && at.startsWith(origin); hop += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null)
      throw new Error(`The server responded with ${String(response.status)}: ${await response.text()}`);
    at = new URL(location, at).href;
  }
  return new URL(at);
}
