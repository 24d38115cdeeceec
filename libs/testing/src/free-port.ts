import { createServer, type Server } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections and to servers that ask for any (32,768 and above), so that none of
 * those takes one between this answer and its use.
 */
const FIRST = 10_000;
const BLOCKS = 2_200;
/**
 * Processes that serve metrics take the ports that follow the one they are given. A block belongs to the process that listens on
 * its last port, for as long as that process lives: whatever runs on this machine next to it, Jest's other workers and other test
 * runs included, gets other ports.
 */
const BLOCK = 10;

let next = Math.floor(Math.random() * BLOCKS);

/** A port of 127.0.0.1 that is free now, given to no other process and not given before; it stays free after its server has ended. */
export async function freePort(): Promise<number> {
  for (let attempts = 0; attempts < BLOCKS; attempts += 1) {
    const port = FIRST + next * BLOCK;
    next = (next + 1) % BLOCKS;
    const claim = await listening(port + BLOCK - 1);
    if (claim === null) continue;
    if (await isFree(port)) {
      claim.unref();
      return port;
    }
    claim.close();
  }
  throw new Error(`None of the ports from ${String(FIRST)} on is free.`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = await listening(port);
  if (probe === null) return false;
  await new Promise((resolve) => probe.close(resolve));
  return true;
}

/** Null: the port is in use. */
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
