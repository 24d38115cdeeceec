import { accessSync, constants, existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SUFFIX = '.unreadable';
/** Names of the files that a journal and its neighbours read; the lock is not one of them. */
const OURS =
  /^(?:(?:segment|in-flight)-\d{6,12}\.log|spare\.log|(?:state|cursor|holders)\.json|under-way\.jsonl)$/;

/** Whether the entry of a journal folder was set aside at an earlier start. */
export const isSetAside = (name: string): boolean => name.endsWith(SUFFIX);

/**
 * Renames entries that are not files, or that this process may not read and write, so that a
 * journal opens without them: one such entry must not prevent a start. Returns the names of all
 * entries set aside in the folder. Throws if an entry cannot be renamed; then nothing could be
 * written there either. This process must hold the lock of the folder.
 */
export function setUnreadableAside(directory: string): readonly string[] {
  for (const name of readdirSync(directory)) {
    if (!OURS.test(name) || isReadable(join(directory, name))) continue;
    renameSync(join(directory, name), freePath(join(directory, name)));
  }
  return readdirSync(directory).filter(isSetAside).sort();
}

/**
 * False for folders, pipes, devices, dangling links, and files that this process may not read or
 * write.
 */
function isReadable(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function freePath(path: string): string {
  for (let number = 1; ; number += 1) {
    const free = `${path}${number === 1 ? '' : `.${String(number)}`}${SUFFIX}`;
    if (!existsSync(free)) return free;
  }
}
