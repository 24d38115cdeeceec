import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@gw/kernel';

/**
 * The whole body in one Buffer. Throws `body_too_large` past `maxBytes` and `request_incomplete` when nothing comes for
 * `idleMs`, when it comes so slowly that it is not there after `totalMs`, or when the client leaves; the rest of a refused body
 * is not read.
 */
export function readBody(
  req: IncomingMessage,
  maxBytes: number,
  { idleMs, totalMs }: { readonly idleMs: number; readonly totalMs: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let first: Buffer | null = null;
    let rest: Buffer[] | null = null;
    let size = 0;
    const expected = Number(req.headers['content-length'] ?? -1);
    let timer: NodeJS.Timeout | null = null;
    let deadline = 0;
    let over = false;

    const stop = (error: GatewayError): void => {
      over = true;
      if (timer) clearTimeout(timer);
      req.pause();
      req.removeAllListeners('data');
      reject(error);
    };
    const restartTimer = (): void => {
      if (timer === null) {
        deadline = performance.now() + totalMs;
        timer = setTimeout(() => stop(new GatewayError('request_incomplete')), Math.min(idleMs, totalMs));
      } else if (performance.now() < deadline) timer.refresh();
      else stop(new GatewayError('request_incomplete'));
    };

    // A body that came with its headers is there by now, and needs no timer; one that never comes does.
    setImmediate(() => {
      if (!over && timer === null) restartTimer();
    });
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
      over = true;
      if (timer) clearTimeout(timer);
      resolve(rest ? Buffer.concat(rest, size) : (first ?? Buffer.alloc(0)));
    });
    req.once('error', () => stop(new GatewayError('request_incomplete')));
    req.once('close', () => {
      if (!req.complete) stop(new GatewayError('request_incomplete'));
    });
  });
}
