import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

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
    mkdirSync(folder.logs, { recursive: true });
    // Postgres runs as another user when we are root, and must pass through to its own folder.
    if (process.getuid?.() === 0) chmodSync(root, statSync(root).mode | 0o011);
  } catch (error) {
    throw new StartError(`DATA_DIR ${root} cannot be used: ${(error as Error).message}`);
  }
  return folder;
}
