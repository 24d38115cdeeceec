import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { StartError } from './start-error';

export interface DataFolder {
  readonly root: string;
  readonly logs: string;
  readonly postgres: string;
  readonly secrets: string;
  readonly credentials: string;
  /**
   * Ids of the launcher and of its processes by name as JSON, for operators' scripts; null for a
   * process that does not run.
   */
  readonly processes: string;
}

/**
 * Creates the data folder. Its contents are private: files are created with the umask of this
 * process.
 */
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
    // Postgres runs as another user when we are root, and must be able to enter its own folder.
    if (process.getuid?.() === 0) chmodSync(root, statSync(root).mode | 0o011);
  } catch (error) {
    throw new StartError(`DATA_DIR ${root} cannot be used: ${(error as Error).message}`);
  }
  return folder;
}

/**
 * Creates folders recursively. Node's own recursive `mkdir` never ends where the system denies that
 * an existing folder exists, as below `/proc`.
 */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have created it at the same time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}
