import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { StartError } from './start-error';

export interface DataFolder {
  readonly root: string;
  readonly logs: string;
  readonly postgres: string;
  readonly secrets: string;
  readonly credentials: string;
  /** Process ids and ports of what runs, as JSON; for operators' scripts. */
  readonly processes: string;
}

/** Makes the data folder. What is below it is private: the files inside are made with the umask of this process. */
export function prepareDataFolder(root: string): DataFolder {
  const folder = {
    root,
    logs: join(root, 'logs'),
    postgres: join(root, 'postgres'),
    secrets: join(root, 'secrets.json'),
    credentials: join(root, 'credentials.json'),
    processes: join(root, 'processes.json'),
  };
  try {
    makeFolder(folder.logs);
    // Postgres runs as another user when we are root, and must pass through to its own folder.
    if (process.getuid?.() === 0) chmodSync(root, statSync(root).mode | 0o011);
  } catch (error) {
    throw new StartError(`DATA_DIR ${root} cannot be used: ${(error as Error).message}`);
  }
  return folder;
}

/** Node's own recursive `mkdir` never ends where the system says of a folder that is there that it is not, as below `/proc`. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have made it at the same time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}
