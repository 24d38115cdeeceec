import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { TEST_DATABASE_RUN } from './jest/names';

/** Folder that the suites of one run share on disk. Removed with its Postgres. */
export const folderOfRun = (run: string): string => join(tmpdir(), `tollgate-run-${run}`);

/**
 * Returns a JSON value that is expensive to build and the same in every suite of a run: the first
 * suite builds it, the others read it. Concurrent first suites both build it.
 */
export function onceOfRun<T>(name: string, make: () => T): T {
  const run = process.env[TEST_DATABASE_RUN];
  if (!run) return make();
  const folder = folderOfRun(run);
  const path = join(folder, `${name}.json`);
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as T;
  const value = make();
  mkdirSync(folder, { recursive: true });
  const partial = `${path}.${String(process.pid)}`;
  writeFileSync(partial, JSON.stringify(value));
  renameSync(partial, path);
  return value;
}
