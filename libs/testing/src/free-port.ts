import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections and to servers that ask for any (32,768 and above), so that none of
 * those takes one between this answer and its use; each of Jest's workers has a share of them to itself.
 */
const FIRST = 10_000;
const SHARE = 1_000;
const SHARES = 10;
/** Apart, since processes that serve metrics take the ports that follow the one they are told. */
const APART = 10;

const first = FIRST + (Number(process.env['JEST_WORKER_ID'] ?? 0) % SHARES) * SHARE;
let next = Math.floor((Math.random() * SHARE) / APART) * APART;

/** A port of 127.0.0.1 that is free now and was not given lately; it stays free after its server has ended. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < SHARE / APART; tries += 1) {
    const port = first + next;
    next = (next + APART) % SHARE;
    if (await isFree(port)) return port;
  }
  throw new Error(`None of the ports from ${String(first)} on is free.`);
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => {
      resolve(false);
    });
    probe.listen(port, '127.0.0.1', () =>
      probe.close(() => {
        resolve(true);
      }),
    );
  });
}
