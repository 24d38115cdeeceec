import { createHash } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { StartError } from './start-error';

/**
 * Holds the data folder for one launcher: a second one would end the Postgres of the first. A socket that listens is the lock, for it
 * goes with its process, whereas a number in a file outlives it and may be given to another process.
 */
export async function lockDataFolder(root: string): Promise<() => void> {
  const path = socketPath(realpathSync(root));
  const server = createServer((socket) => socket.destroy());
  if (!(await listens(server, path))) {
    if (await answers(path)) {
      throw new StartError(
        `DATA_DIR ${root} is in use by another running Tollgate: stop it, or set DATA_DIR.`,
      );
    }
    rmSync(path, { force: true });
    if (!(await listens(server, path))) throw new StartError(`DATA_DIR ${root} cannot be locked (${path}).`);
  }
  server.unref();
  return () => void server.close();
}

/** Not in the data folder itself: a socket's path has at most about 100 characters. */
function socketPath(root: string): string {
  const name = `tollgate-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.lock`);
}

function listens(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => {
      resolve(false);
    });
    server.listen(path, () => {
      resolve(true);
    });
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
