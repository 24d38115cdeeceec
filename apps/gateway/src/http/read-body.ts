import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@gw/kernel';
import { discardRest } from './discard-rest';

/**
 * The whole body in one Buffer. Throws `body_too_large` past `maxBytes` and `request_incomplete` when nothing comes for
 * `idleMs` or the client leaves; the rest of a refused body is dropped.
 */
export function readBody(req: IncomingMessage, maxBytes: number, idleMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let first: Buffer | null = null;
    let rest: Buffer[] | null = null;
    let size = 0;
    const expected = Number(req.headers['content-length'] ?? -1);
    let timer: NodeJS.Timeout | null = null;

    const stop = (error: GatewayError): void => {
      if (timer) clearTimeout(timer);
      req.removeAllListeners('data');
      discardRest(req);
      reject(error);
    };
    const restartTimer = (): void => {
      if (timer) timer.refresh();
      else timer = setTimeout(() => stop(new GatewayError('request_incomplete')), idleMs);
    };

    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        stop(new GatewayError('body_too_large'));
        return;
      }
      if (first === null) first = chunk;
      else (rest ??= [first]).push(chunk);
      // Most bodies arrive in one piece with their headers: no timer for those.
      if (size !== expected) restartTimer();
    });
    req.once('end', () => {
      if (timer) clearTimeout(timer);
      resolve(rest ? Buffer.concat(rest, size) : (first ?? Buffer.alloc(0)));
    });
    req.once('error', () => stop(new GatewayError('request_incomplete')));
    req.once('close', () => {
      if (!req.complete) stop(new GatewayError('request_incomplete'));
    });
  });
}
