import { createServer, type Server } from 'node:net';

/**
 * First port. All are below the ephemeral ports (32,768 and above) and below `INNER_PORTS`, so that
 * no outgoing connection, no Postgres of a product and no other server takes the port before it is
 * used.
 */
const FIRST = 10_000;
const BLOCKS = 1_000;
/**
 * Number of ports in a block. Processes that serve metrics use the ports after the given one. A
 * block belongs to the process that listens on its last port for as long as it lives; other
 * processes of this machine, including Jest's workers and other runs, get other blocks.
 */
const BLOCK = 10;

/** The one port of the range that `fetch` and browsers refuse to call. */
const REFUSED = 10_080;

let next = Math.floor(Math.random() * BLOCKS);

/**
 * Returns a free port of 127.0.0.1 that no other process has and that was not returned before; it
 * stays reserved after its server has closed.
 */
export async function freePort(): Promise<number> {
  for (let attempts = 0; attempts < BLOCKS; attempts += 1) {
    const port = FIRST + next * BLOCK;
    next = (next + 1) % BLOCKS;
    if (REFUSED >= port && REFUSED < port + BLOCK) continue;
    const reservation = await listening(port + BLOCK - 1);
    if (reservation === null) continue;
    if (await isFree(port)) {
      reservation.unref();
      return port;
    }
    reservation.close();
  }
  throw new Error(`None of the ports from ${String(FIRST)} on is free.`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = await listening(port);
  if (probe === null) return false;
  await new Promise((resolve) => probe.close(resolve));
  return true;
}

/** Returns null if the port is in use. */
function listening(port: number): Promise<Server | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => {
      resolve(null);
    });
    server.listen(port, '127.0.0.1', () => {
      resolve(server);
    });
  });
}
