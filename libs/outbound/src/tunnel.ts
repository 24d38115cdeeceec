import { request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { orAbort } from './abort';
import type { Proxy } from './proxy';
import { authorityOf, type Target } from './target';
import { OutboundError } from './types';

/**
 * Requests a tunnel to the target from the proxy. Returns its socket.
 * @throws OutboundError `unreachable` with the reason `proxy_failed` when the proxy refuses it.
 */
export function tunnel(socket: Socket, proxy: Proxy, target: Target, signal: AbortSignal): Promise<Socket> {
  const authority = authorityOf(target);
  const request = httpRequest({
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      ...(proxy.authorization === null ? {} : { 'proxy-authorization': proxy.authorization }),
    },
    createConnection: () => socket,
  });
  const opened = new Promise<Socket>((resolve, reject) => {
    request.once('error', reject);
    request.once('connect', (response, tunnelled: Socket, head: Buffer) => {
      const { statusCode = 0 } = response;
      // Every status 2xx opens the tunnel (RFC 9110, section 9.3.6).
      if (statusCode >= 200 && statusCode <= 299) {
        if (head.length > 0) tunnelled.unshift(head);
        resolve(tunnelled);
      } else {
        reject(
          new OutboundError(
            'unreachable',
            `The proxy responded with status ${String(statusCode)} to CONNECT.`,
            null,
            { reason: 'proxy_failed' },
          ),
        );
      }
    });
    request.end();
  });
  return orAbort(opened, signal).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
}
