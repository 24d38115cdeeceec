import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * First port, and the port after the last, of servers on 127.0.0.1 that only Tollgate's own
 * processes call. They are below the ephemeral ports, so that no outgoing connection takes one
 * between the check and its use, or while its server restarts.
 */
export const INNER_PORTS = { first: 20_000, end: 32_000 } as const;
const ATTEMPTS = 100;

/**
 * Returns a random port of `INNER_PORTS` that is free at this moment, or null when none was found.
 * `reserved` has the ports of servers that have not started yet.
 */
export async function freeInnerPort(reserved: readonly number[] = []): Promise<number | null> {
  for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
    const port = randomInt(INNER_PORTS.first, INNER_PORTS.end);
    if (!reserved.includes(port) && (await isFree(port))) return port;
  }
  return null;
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    await once(probe.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
